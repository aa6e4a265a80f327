#pragma once
/// The dimensions of a convolution as a gather: which elements each position of the result reads.

#include <placement/shape/window.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

/// Positions of the result in one dimension whose windows have the same taps: position u is number
/// u * stride + first of the result, for u in [begin, end).
struct gather_phase {
  struct tap {
    index_t offset, number;  ///< from the start of what position 0 reads; in the filter
  };
  index_t begin, end, first;
  std::vector<tap> taps;  ///< with offsets in ascending order
};

/// One dimension of a gather. Positions [u, v) read `reach` + (v - u - 1) * step elements of the
/// operand, from `first` + u * step on; those outside of it are zero.
struct gather_axis {
  index_t in, out, positions, first, step, reach, stride;
  std::vector<gather_phase> phases;

  index_t count(index_t u, index_t v) const { return (v - u - 1) * step + reach; }
  /// Of all phases.
  index_t taps() const {
    std::size_t n = 0;
    for (gather_phase const& p : phases) n += p.taps.size();
    return static_cast<index_t>(n);
  }
  /// Whether no position reads zeros around the operand.
  bool is_inside() const { return first >= 0 && first + count(0, positions) <= in; }
};

/// A result of a convolution.
inline gather_axis forward_axis(window_axis const& a) {
  gather_axis g{a.in, a.out, a.out, -a.before, a.stride, a.reach(), 1, {}};
  gather_phase p{0, a.out, 0, {}};
  for (index_t k = 0; k != a.taps; ++k) p.taps.push_back({k * a.dilation, k});
  g.phases.push_back(std::move(p));
  return g;
}
/// The gradient of the images. Element i of the images is read by position q of the result as tap k
/// where i + before = q * stride + k * dilation. So elements with the same (i + before) % stride
/// have the same taps.
inline gather_axis backward_axis(window_axis const& a) {
  index_t const s = a.stride, first = a.before / s, back = (a.reach() - 1) / s;
  gather_axis g{a.out, a.in, (a.in - 1 + a.before) / s - first + 1, first - back, 1, back + 1,
                s,     {}};
  for (index_t i = 0; i != std::min(s, a.in); ++i) {
    index_t const rest = (i + a.before) % s, from = s * first + rest - a.before;
    gather_phase p{from < 0 ? 1 : 0, from < a.in ? (a.in - 1 - from) / s + 1 : 0, from, {}};
    for (index_t k = a.taps; k-- > 0;)
      if (k * a.dilation % s == rest) p.taps.push_back({back - (k * a.dilation - rest) / s, k});
    g.phases.push_back(std::move(p));
  }
  return g;
}

}}}  // namespace placement::v0_1::detail
