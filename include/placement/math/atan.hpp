#pragma once

#include <placement/math/half_pi.hpp>
#include <placement/math/polynomial.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// (atan(t) - t) / t^3 in z = t^2, for |t| up to tan(1/2). Source: minimax fits; errors of atan
/// 2^-26.1 and 2^-58.1.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan_tail(V z) noexcept {
  return polynomial(z, -0x1.5554c4p-2f, 0x1.9961f4p-3f, -0x1.210f16p-3f, 0x1.93fdd0p-4f,
                    -0x1.7becccp-5f);
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan_tail(V z) noexcept {
  return polynomial(z, -0x1.5555555555538p-2, 0x1.9999999995c33p-3, -0x1.249249232a308p-3,
                    0x1.c71c7141d5fe8p-4, -0x1.745d08ae5fde7p-4, 0x1.3b12a95f47029p-4,
                    -0x1.1104671ad3bbap-4, 0x1.e107bf900d782p-5, -0x1.a9ed2ea1cc250p-5,
                    0x1.6f11b429a48e8p-5, -0x1.1bc96a1730c0dp-5, 0x1.4dad6775df52dp-6,
                    -0x1.a59367de18553p-8);
}

/// Quotients from tan(1/2) to 1 / tan(1/2) are replaced by (p - q) / (p + q), whose angle lacks
/// pi / 4. From there on p - q is exact, and angles are at least 1/2.
template <class T> inline constexpr T tan_of_half = T(0.5463);
template <class T> inline constexpr T cot_of_half = T(1.8305);

/// start + atan(n / d), for |n / d| up to tan(1/2); start: 0 to 4 times pi / 4, of which
/// half_pi<T>::low has the missing part.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V angle_from(V start, V n, V d) noexcept {
  using right_angle = half_pi<element_of<V>>;
  V const t = n / d, z = t * t;
  V const start_low = start * (right_angle::low / right_angle::high);
  return start + (t + multiply_add(V(t * z), atan_tail(z), start_low));
}

/// The angle whose tangent is x, from -pi / 2 to pi / 2.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan(V x) noexcept {
  using T = element_of<V>;
  V const a = magnitude(x);
  auto const past_half = below(V(tan_of_half<T>), a), is_steep = below(V(cot_of_half<T>), a);
  V const n = select(is_steep, V(-1), V(a - from_bits<V>(to_bits(V(1)) & past_half)));
  V const d = select(is_steep, a, V(1 + from_bits<V>(to_bits(a) & past_half)));
  auto const octant = to_bits(V(half_pi<T>::high / 2));
  V const start = from_bits<V>(octant & past_half) + from_bits<V>(octant & is_steep);
  return with_sign(angle_from(start, n, d), sign_of(x));
}

}}}  // namespace placement::v0_1::math
