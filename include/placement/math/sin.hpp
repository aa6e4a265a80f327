#pragma once

#include <placement/math/argument_reduction.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// The sine of an x that is not is_large_angle: without a branch, and of float without double.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_sin(V x) noexcept {
  return sin_of_angle(reduce_small_angle(magnitude(x)), 0, x);
}
/// The same with fused multiply-add.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_sin_by_fused(V x) noexcept {
  return sin_of_angle(reduce_by_fused(magnitude(x)), 0, x);
}

/// The sine of x in radians, of any size; NaN for infinity. A float, or a double below
/// max_small_angle, takes no branch. In a pack, lanes with large angles are computed apart, of
/// double one by one.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sin(V x) noexcept {
  if constexpr (one_number<V>) {
    return select(below(magnitude(x), tiny<element_of<V>>), x, sin_of_angle(reduce_angle(x), 0));
  } else if constexpr (floats<V>) {
    return replace_where(near_sin(x), is_large_angle(x), [&]() PLACEMENT_ALWAYS_INLINE {
      return sin_of_angle(reduce_large_angle(x), 0);
    });
  } else {
    return replace_lanes(
        near_sin(x), is_large_angle(x), [](element_of<V> n) noexcept { return sin(n); }, x);
  }
}

}}}  // namespace placement::v0_1::math
