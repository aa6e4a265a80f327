#pragma once

#include <placement/math/atan.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// A power of two that brings a finite x, which has no sign, to 1 and more but below 16, and 0 and
/// infinity to themselves.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V scale_of(V x) noexcept {
  using U = bits_of<element_of<V>>;
  constexpr int digits = format<V>::digits, bias = format<V>::bias;
  constexpr U exponents = static_cast<U>(2 * bias - 2) << digits;
  constexpr U largest = static_cast<U>(2 * bias) << digits;
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

/// The angle of (x, y) in the plane, with the special cases of the C standard (F.10.1.4). A power
/// of two scales the sides: their sum does not overflow, and of two zeros x counts.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V atan2(V y, V x) noexcept {
  using T = element_of<V>;
  using right_angle = half_pi<T>;
  constexpr T least = format<T>::digits == 23 ? T(0x1p-100) : T(0x1p-1000);
  V const b = magnitude(x), scale = scale_of(b);
  V const p = magnitude(y) * scale, q = multiply_add(b, scale, V(least));
  auto const up_to_half = below(p, V(q * tan_of_half<T>));
  auto const is_steep = above(p, V(q * cot_of_half<T>));
  auto const is_left = negative(x), sign = sign_of(x);
  // 0 of two infinities
  V const difference = from_bits<V>(to_bits(V(p - q)) & unequal(p, q));
  V const n = select(is_steep, V(-q), select(up_to_half, p, difference));
  V const d = select(is_steep, p, select(up_to_half, q, V(p + q)));
  V const start =
      select(is_steep, V(right_angle::high), select(up_to_half, V(0), V(right_angle::high / 2)));
  V const half_turn = from_bits<V>(to_bits(V(2 * right_angle::high)) & is_left);
  V const from = half_turn + from_bits<V>(to_bits(start) ^ sign);
  return with_sign(angle_from(from, from_bits<V>(to_bits(n) ^ sign), d), sign_of(y));
}

}}}  // namespace placement::v0_1::math
