#pragma once

#include <placement/math/rsqrt.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// The square root of x, 0 or a positive normal number, to half an ulp and a little: x / sqrt(x)
/// and a step of Newton's method, whose square has all digits. It has no instruction: a loop of
/// std::sqrt, which may set errno, is no vector loop, and both would differ in last bits.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V root_of_normal(V x) noexcept {
  V const inverse = rsqrt_of_normal(x), root = x * inverse, high = upper(root), low = root - high;
  V const error = ((x - high * high) - 2 * high * low) - low * low;
  return root + error * (element_of<V>(0.5) * inverse);
}

}}}  // namespace placement::v0_1::math
