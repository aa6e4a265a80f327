#pragma once

#include <placement/math/polynomial.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// x = n ln 2 + r + rest, |r| <= ln(2) / 2. n: the bits of n + shift.
template <class V> struct reduced {
  bits_of<V> n;
  V r, rest;
};
/// Source: Cody, Waite: Software manual for the elementary functions (1980), 6: ln 2 in two parts,
/// the first short enough for exact products.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced<V> reduce_by_ln2(V x, float shift) noexcept {
  V const k = multiply_add(x, V(0x1.715476p+0f), V(shift)), n = k - shift;
  V const whole = x - n * 0x1.63p-1f, low = n * 0x1.bd0106p-13f, r = whole + low;
  return {to_bits(k), r, low - (r - whole)};
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr reduced<V> reduce_by_ln2(V x,
                                                                        double shift) noexcept {
  V const k = multiply_add(x, V(0x1.71547652b82fep+0), V(shift)), n = k - shift;
  V const whole = x - n * 0x1.62e42feep-1, low = n * -0x1.a39ef35793c76p-33, r = whole + low;
  return {to_bits(k), r, low - (r - whole)};
}

/// exp(r) for |r| <= ln(2) / 2. Source: minimax fits; relative errors 2^-28 and 2^-57.8.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp_of_rest(V r) noexcept {
  return 1 + r * (1 + r * polynomial(r, 0x1.fffff8p-2f, 0x1.55548ep-3f, 0x1.555b98p-5f,
                                     0x1.123bcep-7f, 0x1.6850f8p-10f));
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp_of_rest(V r) noexcept {
  return 1 + r * (1 + r * polynomial(r, 0x1.000000000000bp-1, 0x1.5555555555511p-3,
                                     0x1.55555555502a1p-5, 0x1.1111111122323p-7,
                                     0x1.6c16c1852b7d4p-10, 0x1.a01a014761726p-13,
                                     0x1.a01997c891553p-16, 0x1.71dee62554efbp-19,
                                     0x1.28af3fdcc3a26p-22, 0x1.ade154754fb1cp-26));
}

/// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2, where the lost digits of 1 + r count. Source:
/// minimax fits; with 1 + r + r^2 q relative errors 2^-26.6 and 2^-55.7.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp_tail(V r) noexcept {
  return polynomial(r, 0x1p-1f, 0x1.5554dep-3f, 0x1.55556cp-5f, 0x1.120abep-7f, 0x1.6ca99p-10f);
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp_tail(V r) noexcept {
  return polynomial(r, 0x1.0000000000001p-1, 0x1.5555555555558p-3, 0x1.5555555553cd9p-5,
                    0x1.111111110f8dbp-7, 0x1.6c16c178ab683p-10, 0x1.a01a01afb725ep-13,
                    0x1.a019b8b7963dcp-16, 0x1.71ddf787534fap-19, 0x1.2891d2af5d43bp-22,
                    0x1.af61c09cbbc75p-26);
}

/// From here on exp is infinite, and from its negative on 0; 2^n is still a product of two numbers.
template <class T> inline constexpr T end_of_exp = 750;
template <> inline constexpr float end_of_exp<float> = 105;

/// exp of a float as root^2 (1 + tail), |tail| < 1. k: the bits of n / 2 + shift, where root is
/// 2^(n / 2).
template <class V> struct exp_in_parts {
  bits_of<V> k;
  V root, tail;
};
/// n is even, so that one root will do, and r up to ln 2. For x from -end_of_exp on; of infinity n
/// is no more than 160, and the tail infinite.
/// Source: Cody, Waite (1980), 6; a minimax fit, relative error 2^-25.7.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr exp_in_parts<V> parts_of_exp(V x) noexcept {
  constexpr float shift = format<float>::once;
  V const k = smaller_positive(multiply_add(x, V(0x1.715476p-1f), V(shift)), shift + 80);
  V const n = k - shift, r = (x - n * 0x1.63p0f) + n * 0x1.bd0106p-12f, square = r * r;
  V const q = polynomial_by_twos(r, square, 0x1.00001p-1f, 0x1.55552cp-3f, 0x1.55485cp-5f,
                                 0x1.111d9p-7f, 0x1.720784p-10f, 0x1.9efc54p-13f);
  return {to_bits(k), power_of_two<V>(to_bits(k)), r + square * q};
}

/// e to the power x. Of a double 2^n in two steps, of a float as a square.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp(V x) noexcept {
  auto const [n, r, rest] =
      reduce_by_ln2(limited(x, end_of_exp<element_of<V>>), format<double>::twice);
  auto const [low, high] = powers_of_two<V>(n);
  return exp_of_rest(r) * low * high;
}
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp(V x) noexcept {
  auto const [k, root, tail] = parts_of_exp(no_less(x, -end_of_exp<element_of<V>>));
  return multiply_add(root, tail, root) * root;
}

/// e to the power x <= 0. Of float it is 0 where it would be less than a normal number: 2^n then
/// needs neither a second step nor a limit. Source: as exp; a minimax fit, relative error 2^-28.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp_of_negative(V x) noexcept {
  constexpr float least = -87.3f;  // 2^-126 is the smallest normal number
  auto const [n, r, rest] = reduce_by_ln2(x, format<float>::once);
  V const square = r * r, power = power_of_two<V>(n);
  V const q = polynomial_by_twos(r, square, 0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f,
                                 0x1.123a2p-7f, 0x1.6a23dp-10f);
  bits_of<V> const is_normal = ones_where<V>(!(x < least));
  return from_bits<V>(to_bits(power + power * (r + square * q)) & is_normal);
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp_of_negative(V x) noexcept {
  return exp(x);
}

/// exp(x) for x where neither it nor its inverse overflows.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp_in_range(V x) noexcept {
  auto const [n, r, rest] = reduce_by_ln2(x, format<V>::once);
  return exp_of_rest(r) * power_of_two<V>(n);
}

}}}  // namespace placement::v0_1::math
