#pragma once

#include <placement/math/atan.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// Two sides of a triangle: |n| <= |m|, or either is NaN. start + atan(n / m) is an angle.
template <class V> struct triangle {
  V n, m, start;
};

/// The angle, to the type's digits. start_low: what start lacks; infinite: all ones where n is, or
/// NaN.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V angle_of(triangle<V> const& s, V start_low,
                                                          bits_of<V> infinite) noexcept {
  auto const is_zero = below(magnitude(s.m), V(0x1p-149f));
  V const n = from_bits<V>(to_bits(s.n) + infinite);
  V const quiet = s.m + 0;  // a signalling NaN beside infinity has the least payload at first
  V const m = from_bits<V>((to_bits(quiet) + infinite) - is_zero);
  return s.start + (near_atan(V(n / m)) + start_low);
}
/// The same with what the quotient loses, which would be 0.8 ulps of an angle below 1/2. A power of
/// two scales the sides, so that this rest is no denormal number; m is then from 1 to 16. The
/// difference of bits is 1 / (q (1 + t^2)) but for a twentieth.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V angle_of(triangle<V> const& s, V start_low,
                                                          bits_of<V> infinite) noexcept {
  using U = bits_of<double>;
  constexpr U exponents = 0x7fc0'0000'0000'0000, largest = 0x7fe0'0000'0000'0000;
  constexpr U inverse_of_one = 0x7fde'b000'0000'0000;
  V const scale = from_bits<V>(largest - (to_bits(s.m) & exponents));
  V const p = from_bits<V>(to_bits(V(s.n * scale)) + infinite);
  V const q = from_bits<V>(to_bits(multiply_add(s.m, scale, V(0x1p-1000))) + infinite);
  V const t = p / q, square = t * t;
  V const slope = from_bits<V>(inverse_of_one - to_bits(multiply_add(q, square, q)));
  // 0 beside an infinite m, too
  V const lost =
      from_bits<V>(to_bits(V(rest_of_quotient(p, q, t) * slope)) & above(square, V(0x1p-40)));
  V const sum = s.start + t, of_sum = (s.start - sum) + t;
  return sum + (of_sum + (start_low + (atan_tail(t) + lost)));
}

/// The angle of (x, y) in the plane, with the special cases of the C standard (F.10.1.4).
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan2(V y, V x) noexcept {
  using T = element_of<V>;
  using right_angle = half_pi<T>;
  constexpr T max = format<T>::digits == 23 ? T(0x1.fffffep127f) : T(0x1.fffffffffffffp1023);
  V const a = magnitude(x), b = magnitude(y);
  auto const is_steep = below(a, b), is_left = negative(x);
  V const half_turn = from_bits<V>(to_bits(V(2 * right_angle::high)) & is_left);
  V const start = select(is_steep, V(right_angle::high), half_turn);
  V const start_low = start * (right_angle::low / right_angle::high);
  triangle<V> const sides{select(is_steep, V(-x), b), select(is_steep, b, x), start};
  auto const infinite = below(V(max), magnitude(sides.n));  // or NaN, which remains
  return with_sign(angle_of(sides, start_low, infinite), sign_of(y));
}

}}}  // namespace placement::v0_1::math
