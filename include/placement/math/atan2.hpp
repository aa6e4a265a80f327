#pragma once

#include <placement/math/atan.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// For an x without a sign, a power of two. Their product is from 1 to 16, or 0, or infinity.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V scale_of(V x) noexcept {
  constexpr bits_of<double> exponents = 0x7fc0'0000'0000'0000, largest = 0x7fe0'0000'0000'0000;
  return from_bits<V>(largest - (to_bits(x) & exponents));
}
/// All ones where x and y, which have no sign, differ or are NaN.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<T> unequal(T x, T y) noexcept {
  auto const difference = to_bits(x) ^ to_bits(y);
  return bits_of<T>{} - ((difference | (bits_of<T>{} - difference)) >> (format<T>::width - 1));
}

/// atan(t) - t over t^3 in z = t^2, for t from 0 to 1. Source: a minimax fit, 2^-28.5.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V long_atan_tail(V z) noexcept {
  return polynomial_by_twos(z, V(z * z), -0x1.55553ep-2f, 0x1.9991fep-3f, -0x1.2421b8p-3f,
                            0x1.c09a1p-4f, -0x1.5834bep-4f, 0x1.daca6ep-5f, -0x1.fed25ap-6f,
                            0x1.65a75p-7f, -0x1.d63182p-10f);
}

/// The angle of (x, y) in the plane, with the special cases of the C standard (F.10.1.4).
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan2(V y, V x) noexcept {
  using right_angle = half_pi<float>;
  V const a = magnitude(x), b = magnitude(y);
  auto const is_steep = below(a, b), is_left = negative(x);
  V const half_turn = from_bits<V>(to_bits(V(2 * right_angle::high)) & is_left);
  V const start = select(is_steep, V(right_angle::high), half_turn);
  V const lesser = select(is_steep, V(-x), b), greater = select(is_steep, b, x);
  auto const infinite = below(V(0x1.fffffep127f), magnitude(lesser));  // or NaN, which remains
  V const n = from_bits<V>(to_bits(lesser) + infinite);
  V const quiet = greater + 0;  // a signalling NaN beside infinity has the least payload at first
  auto const is_zero = below(magnitude(greater), V(0x1p-149f));
  V const m = from_bits<V>((to_bits(quiet) + infinite) - is_zero);
  V const t = n / m, z = t * t;
  V const start_low = start * (right_angle::low / right_angle::high);
  V const angle = start + ((t + t * z * long_atan_tail(z)) + start_low);
  return with_sign(angle, sign_of(y));
}

/// p - q t, exact for t = p / q. Source: Dekker: A floating-point technique for extending the
/// available precision (1971).
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V rest_of_quotient(V p, V q, V t) noexcept {
  if (is_fused()) return fused(V(-t), q, p);
  V const t_high = upper(t), t_low = t - t_high, q_high = upper(q), q_low = q - q_high;
  return ((p - t_high * q_high) - (t_high * q_low + t_low * q_high)) - t_low * q_low;
}
/// What the angle of t = n / d lacks, as the quotient is rounded: up to 0.8 ulps of an angle below
/// 1/2. The difference of bits is 1 / (d (1 + z)) but for a twentieth, z = t^2.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V lost_angle(V n, V d, V t, V z) noexcept {
  constexpr bits_of<double> inverse_of_one = 0x7fde'b000'0000'0000;
  V const slope = from_bits<V>(inverse_of_one - to_bits(multiply_add(d, z, d)));
  // 0 beside an infinite d, too
  return from_bits<V>(to_bits(V(rest_of_quotient(n, d, t) * slope)) & below(V(0x1p-40), z));
}

/// The angle of (x, y) in the plane, with the special cases of the C standard (F.10.1.4). A power
/// of two scales the sides: their sum does not overflow, and of two zeros x counts.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan2(V y, V x) noexcept {
  using right_angle = half_pi<double>;
  V const b = magnitude(x), scale = scale_of(b);
  V const p = magnitude(y) * scale, q = multiply_add(b, scale, V(0x1p-1000));
  auto const up_to_half = below(p, V(q * tan_of_half<double>));
  auto const is_steep = above(p, V(q * cot_of_half<double>));
  auto const is_left = negative(x), sign = sign_of(x);
  // 0 of two infinities
  V const difference = from_bits<V>(to_bits(V(p - q)) & unequal(p, q));
  V const n = select(is_steep, V(-q), select(up_to_half, p, difference));
  V const d = select(is_steep, p, select(up_to_half, q, V(p + q)));
  V const start =
      select(is_steep, V(right_angle::high), select(up_to_half, V(0), V(right_angle::high / 2)));
  V const half_turn = from_bits<V>(to_bits(V(2 * right_angle::high)) & is_left);
  V const from = half_turn + from_bits<V>(to_bits(start) ^ sign);
  V const side = from_bits<V>(to_bits(n) ^ sign), t = side / d, z = t * t;
  V const low = from * (right_angle::low / right_angle::high) + lost_angle(side, d, t, z);
  V const angle = from + (t + multiply_add(V(t * z), atan_tail(z), low));
  return with_sign(angle, sign_of(y));
}

}}}  // namespace placement::v0_1::math
