#pragma once

#include <placement/math/exp.hpp>

namespace placement::inline v0_1::math {

/// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2, to a relative error of expm1 of 2^-30.4 and
/// 2^-60.8. Source: minimax fits.
[[gnu::always_inline]] PLACEMENT_HD constexpr float expm1_tail(float r) noexcept {
  return polynomial(r, 0x1p-1f, 0x1.555556p-3f, 0x1.555502p-5f, 0x1.110ff2p-7f, 0x1.6d2ep-10f,
                    0x1.a2676p-13f);
}
[[gnu::always_inline]] PLACEMENT_HD constexpr double expm1_tail(double r) noexcept {
  return polynomial(r, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555552p-5, 0x1.1111111110056p-7,
                    0x1.6c16c16c18931p-10, 0x1.a01a01ac1a73cp-13, 0x1.a01a0197bcfecp-16,
                    0x1.71de01b880457p-19, 0x1.27e500e0a279ep-22, 0x1.af4eb2bd1f364p-26,
                    0x1.1f32eabd20573p-29);
}

/// How far below 0 expm1 is -1 in the type, and above 0 infinite, with 2^n / 2 still a number.
template <class T> inline constexpr T minus_one_of_expm1 = 40;
template <> inline constexpr float minus_one_of_expm1<float> = 20;
template <class T> inline constexpr T infinite_expm1 = 709.8;
template <> inline constexpr float infinite_expm1<float> = 88.8f;

/// exp(x) - 1, exact to the last digits for x near 0, too.
/// With x = n ln 2 + r it is 2^n - 1 + 2^n r + 2^n (exp(r) - 1 - r); the first two are added with
/// the error of the sum. Half of all that, as 2^n may be more than the type holds.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T expm1(T x) noexcept {
  T const most = select(negative(x), minus_one_of_expm1<T>, infinite_expm1<T>);
  auto const [n, r, rest] = reduce_by_ln2(limited(x, most), format<T>::once - 1);
  T const half = power_of_two<T>(n);
  T const a = half - T(0.5), b = half * r, sum = a + b;
  T const from_b = sum - a, error = (a - (sum - from_b)) + (b - from_b);
  T const y = 2 * (sum + (error + half * (r * r * expm1_tail(r) + rest)));
  return select(below(magnitude(x), tiny<T>), x, y);
}

}  // namespace placement::inline v0_1::math
