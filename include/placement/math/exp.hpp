#pragma once

#include <placement/math/bits.hpp>

namespace placement::inline v0_1::math {

/// x = n ln 2 + r + rest, |r| <= ln(2) / 2. n: the bits of n + magic.
template <class T> struct reduced {
  bits_of<T> n;
  T r, rest;
};
/// Source: Cody, Waite: Software manual for the elementary functions (1980), 6: ln 2 in two parts,
/// the first short enough for exact products.
[[gnu::always_inline]] PLACEMENT_HD constexpr reduced<float> reduce_by_ln2(float x) noexcept {
  float const k = x * 0x1.715476p+0f + format<float>::magic, n = k - format<float>::magic;
  float const whole = x - n * 0x1.63p-1f, low = n * 0x1.bd0106p-13f, r = whole + low;
  return {to_bits(k), r, low - (r - whole)};
}
[[gnu::always_inline]] PLACEMENT_HD constexpr reduced<double> reduce_by_ln2(double x) noexcept {
  double const k = x * 0x1.71547652b82fep+0 + format<double>::magic, n = k - format<double>::magic;
  double const whole = x - n * 0x1.62e42feep-1, low = n * -0x1.a39ef35793c76p-33, r = whole + low;
  return {to_bits(k), r, low - (r - whole)};
}

/// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2. Source: minimax fits; with 1 + r + r^2 q a relative
/// error of 2^-26.6 and 2^-55.7.
[[gnu::always_inline]] PLACEMENT_HD constexpr float exp_tail(float r) noexcept {
  return polynomial(r, 0x1p-1f, 0x1.5554dep-3f, 0x1.55556cp-5f, 0x1.120abep-7f, 0x1.6ca99p-10f);
}
[[gnu::always_inline]] PLACEMENT_HD constexpr double exp_tail(double r) noexcept {
  return polynomial(r, 0x1.0000000000001p-1, 0x1.5555555555558p-3, 0x1.5555555553cd9p-5,
                    0x1.111111110f8dbp-7, 0x1.6c16c178ab683p-10, 0x1.a01a01afb725ep-13,
                    0x1.a019b8b7963dcp-16, 0x1.71ddf787534fap-19, 0x1.2891d2af5d43bp-22,
                    0x1.af61c09cbbc75p-26);
}

/// Where exp is long 0, or infinite on the other side of 0; 2^n is still the product of two
/// numbers.
template <class T> inline constexpr T end_of_exp = 750;
template <> inline constexpr float end_of_exp<float> = 105;

/// e to the power x.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T exp(T x) noexcept {
  auto const [n, r, rest] = reduce_by_ln2(limited(x, end_of_exp<T>));
  auto const [low, high] = powers_of_two<T>(n);
  return (1 + (r + (r * r * exp_tail(r) + rest))) * low * high;
}

/// exp(x) for x where neither it nor its inverse overflows.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T exp_in_range(T x) noexcept {
  auto const [n, r, rest] = reduce_by_ln2(x);
  return (1 + (r + r * r * exp_tail(r))) * power_of_two<T>(n);
}

}  // namespace placement::inline v0_1::math
