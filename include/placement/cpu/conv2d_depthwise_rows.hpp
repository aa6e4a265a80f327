#pragma once
/// Rows of depthwise convolutions: the taps of each phase of a row.

#include <placement/cpu/conv2d_axes.hpp>
#include <placement/cpu/conv2d_depthwise_filter.hpp>
#include <placement/shape/window.hpp>

#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// Rows of a depthwise convolution, of its result or of its gradient of the images.
template <class S> class depthwise_rows {
 public:
  /// pitch: the elements from pixel to pixel of the images, and from tap to tap of the filter.
  depthwise_rows(gather_axis const& y, gather_axis const& x, conv2d_sizes const& s, index_t pitch)
      : y_(y), x_(x), channels_(s.channels), pitch_(pitch), filter_row_(s.x.taps * pitch) {}

  /// Calls f(pixels, column) for the phases of a row of the result: columns `column`, `column` +
  /// x.stride and so on. image: of the operand.
  template <class F> void each_phase(S const* image, index_t row, F const& f) {
    auto const& p = y_.phases[static_cast<std::size_t>(row % y_.stride)];
    index_t const top = y_.first + (row - p.first) / y_.stride * y_.step;
    for (gather_phase const& q : x_.phases) {
      if (q.begin == q.end) continue;
      list_taps(p, q, top);
      f(depthwise_pixels<S>{channels_, q.end - q.begin, taps_.data(),
                            static_cast<index_t>(taps_.size()), image, x_.step * pitch_},
        q.begin * x_.stride + q.first);
    }
  }

  /// Calls f(r) for each row r of the operand that a row of the result reads.
  template <class F> void each_read_row(index_t row, F const& f) const {
    auto const& p = y_.phases[static_cast<std::size_t>(row % y_.stride)];
    index_t const top = y_.first + (row - p.first) / y_.stride * y_.step;
    for (auto const& tap : p.taps)
      if (index_t const r = top + tap.offset; r >= 0 && r < y_.in) f(r);
  }

 private:
  /// Lists the taps that read elements of the operand.
  void list_taps(gather_phase const& p, gather_phase const& q, index_t top) {
    taps_.clear();
    for (auto const& i : p.taps) {
      index_t const row = top + i.offset;
      if (row < 0 || row >= y_.in) continue;
      for (auto const& j : q.taps) {
        index_t const column = x_.first + q.begin * x_.step + j.offset;
        index_t const first = column >= 0 ? 0 : (-column + x_.step - 1) / x_.step;
        index_t const last = column >= x_.in ? 0 : (x_.in - 1 - column) / x_.step + 1;
        taps_.push_back({(row * x_.in + column) * pitch_,
                         i.number * filter_row_ + j.number * pitch_, first, last, 1});
      }
    }
    for (std::size_t i = 0, end = 0, columns = q.taps.size(); i != taps_.size(); i = end) {
      for (end = i + 1; end != i + 3 && end % columns != 0; ++end)
        if (taps_[end].offset != taps_[end - 1].offset + x_.step * pitch_) break;
      taps_[i].run = static_cast<index_t>(end - i);
    }
  }

  gather_axis const &y_, &x_;
  index_t channels_, pitch_, filter_row_;
  std::vector<depthwise_tap> taps_;
};

}}}  // namespace placement::v0_1::detail
