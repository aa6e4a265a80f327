#pragma once

#include <placement/math/argument_reduction.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// The cosine of x in radians, whatever its size; NaN for infinity. For float, and for a double up
/// to max_small_angle, without a branch.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T cos(T x) noexcept {
  return sin_of_angle(reduce_angle(x), 1);
}

/// The same of numbers that are not is_large_angle: without a branch, and of float without double.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T near_cos(T x) noexcept {
  return sin_of_angle(reduce_small_angle(x), 1);
}

}}}  // namespace placement::v0_1::math
