#pragma once
/// The elements of a pool's windows on a GPU, and the windows of an element.

#include <placement/shape/fast_division.hpp>
#include <placement/shape/window.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Positions of a dimension, from `from` to before `to`.
struct index_range {
  index_t from, to;
  PLACEMENT_HD constexpr index_t count() const { return to - from; }
};
/// The elements under the window at a position.
PLACEMENT_HD constexpr index_range window_elements(window_axis const& a, index_t position) {
  index_t const first = position * a.stride - a.before, end = first + a.taps;
  return {first < 0 ? 0 : first, end < a.in ? end : a.in};
}
/// Finds the windows that contain an element of a piece. Elements of pieces and strides are below
/// 2^31, so that it divides by multiplications.
class windows_of_elements {
 public:
  /// start: of the piece.
  constexpr windows_of_elements(window_axis const& a, index_t start)
      : stride_(static_cast<std::uint32_t>(a.stride)),
        quotient_((start + a.before) / a.stride),
        rest_((start + a.before) % a.stride),
        taps_quotient_(a.taps / a.stride),
        taps_rest_(a.taps % a.stride),
        out_(a.out) {}

  /// The positions of the windows that contain element start + i.
  PLACEMENT_HD constexpr index_range of(index_t i) const {
    index_t const n = rest_ + i, last = quotient_ + divided(n);
    index_t const past =
        n < taps_rest_ ? quotient_ : quotient_ + divided(n - taps_rest_) + 1;  // without the taps
    return {past < taps_quotient_ ? 0 : past - taps_quotient_, last < out_ ? last + 1 : out_};
  }

 private:
  /// n / stride, for n below stride + 2^31.
  PLACEMENT_HD constexpr index_t divided(index_t n) const {
    index_t const beyond = n - index_t{stride_.divisor};
    return beyond < 0 ? 0 : 1 + index_t{stride_.quotient(static_cast<std::uint32_t>(beyond))};
  }

  fast_divisor stride_;
  index_t quotient_, rest_, taps_quotient_, taps_rest_, out_;
};

/// The windows that contain an element, along one dimension. Numbers are at most those of a
/// window's elements.
struct pixel_windows {
  int count;
  int place;          ///< the element's in the first window
  int before, after;  ///< elements before it in its image, and from it on

  PLACEMENT_HD constexpr pixel_windows(window_axis const& a, index_t element, index_range windows)
      : count(limited(windows.count())),
        place(limited(element + a.before - windows.from * a.stride)),
        before(limited(element)),
        after(limited(a.in - element)) {}

  /// The elements of the k-th window before the element.
  PLACEMENT_HD constexpr int before_of(int k, window_axis const& a) const {
    int const all = place - k * static_cast<int>(a.stride);
    return all < before ? all : before;
  }
  /// The elements of the k-th window from the element on.
  PLACEMENT_HD constexpr int after_of(int k, window_axis const& a) const {
    int const all = static_cast<int>(a.taps) - place + k * static_cast<int>(a.stride);
    return all < after ? all : after;
  }

 private:
  PLACEMENT_HD static constexpr int limited(index_t n) {
    return static_cast<int>(n < max_window ? n : max_window);
  }
};

}}}  // namespace placement::v0_1::detail
