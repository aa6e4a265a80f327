#pragma once

#include <placement/math/polynomial.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// atan(t) for t from 0 to 1. Source: minimax fits, 2^-28.5 and 2^-57.6.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_atan(V t) noexcept {
  V const z = t * t;
  V const p = polynomial_by_twos(z, V(z * z), -0x1.55553ep-2f, 0x1.9991fep-3f, -0x1.2421b8p-3f,
                                 0x1.c09a1p-4f, -0x1.5834bep-4f, 0x1.daca6ep-5f, -0x1.fed25ap-6f,
                                 0x1.65a75p-7f, -0x1.d63182p-10f);
  return multiply_add(V(t * z), p, t);
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_atan(V t) noexcept {
  V const z = t * t;
  V const p = polynomial_horner(
      z, -0x1.5555555555526p-2, 0x1.9999999995547p-3, -0x1.249249237e22ap-3, 0x1.c71c717f9452dp-4,
      -0x1.745d11aaefc90p-4, 0x1.3b136675e6e5cp-4, -0x1.110e501c94c1ap-4, 0x1.e1bb9b1faaa2dp-5,
      -0x1.ae5e444e61a40p-5, 0x1.82da44970d9aap-5, -0x1.59a29503a8a5cp-5, 0x1.2c2ba2e7dca97p-5,
      -0x1.e9f1d473a4813p-6, 0x1.683320d9c76cfp-6, -0x1.c77e552147e7ap-7, 0x1.d7a150a70f2f3p-8,
      -0x1.7a21e00c4098cp-9, 0x1.b3da4c0aedc9ap-11, -0x1.3f1aefac37c40p-13, 0x1.bbc2ea6131a83p-17);
  return multiply_add(V(t * z), p, t);
}

/// The angle of (x, y) in the plane, with the special cases of the C standard (F.10.1.4).
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan2(V y, V x) noexcept {
  using T = element_of<V>;
  constexpr bool is_float = format<T>::digits == 23;
  constexpr T inf = static_cast<T>(__builtin_inff());
  constexpr T least = is_float ? T(0x1p-149f) : T(0x1p-1074);
  constexpr T pi = is_float ? T(0x1.921fb6p+1f) : T(0x1.921fb54442d18p+1);
  constexpr T pi_low = is_float ? T(-0x1.777a5cp-24f) : T(0x1.1a62633145c07p-53);
  V const a = magnitude(x), b = magnitude(y);
  auto const is_steep = below(a, b), is_left = negative(x);
  V const n = select(is_steep, a, b), m = select(is_steep, b, a);
  auto const is_zero = below(m, V(least)), is_diagonal = ~below(n, V(inf)) & ~above(m, V(inf));
  V const of_first =
      near_atan(V(select(is_diagonal, V(1), n) / select(is_zero | is_diagonal, V(1), m)));
  // pi or pi / 2, plus or minus the angle
  auto const far = is_steep | is_left;
  V const high = from_bits<V>(to_bits(select(is_steep, V(pi / 2), V(pi))) & far);
  V const low = from_bits<V>(to_bits(select(is_steep, V(pi_low / 2), V(pi_low))) & far);
  V const angle = from_bits<V>(to_bits(of_first) ^ (sign_of(V(T(-0.))) & (is_steep ^ is_left)));
  return with_sign(V(high + (angle + low)), sign_of(y));
}

}}}  // namespace placement::v0_1::math
