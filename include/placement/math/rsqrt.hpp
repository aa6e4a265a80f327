#pragma once

#include <placement/math/bits.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// A first guess at 1 / sqrt(x) to 3.4 %, from half of x's exponent, and refined: each step leaves
/// about the cube of the error. Source: Moroz, Walczyk, Hrynchyshyn, Holimath, Cieslinski: Fast
/// calculation of inverse square root with the use of magic constant (2018), for the guess;
/// Householder's method of third order for the steps.
template <class T>
[[gnu::always_inline]] PLACEMENT_HD constexpr T refined_rsqrt(T x, T y) noexcept {
  T const e = 1 - x * y * y;
  return y + y * e * (T(0.5) + T(0.375) * e);
}
[[gnu::always_inline]] PLACEMENT_HD constexpr float rsqrt_of_normal(float x) noexcept {
  float const guess = from_bits<float>(0x5f375a86u - (to_bits(x) >> 1));
  float const y = refined_rsqrt(x, refined_rsqrt(x, guess));
  return y + y * (0.5f * (1 - x * y * y));
}
[[gnu::always_inline]] PLACEMENT_HD constexpr double rsqrt_of_normal(double x) noexcept {
  double const guess = from_bits<double>(0x5fe6eb50c7b537a9u - (to_bits(x) >> 1));
  double const y = refined_rsqrt(x, refined_rsqrt(x, refined_rsqrt(x, guess)));
  return y + y * (0.5 * (1 - x * y * y));
}

/// 1 / sqrt(x): infinity at 0, 0 at infinity, NaN below 0. By steps of multiplications, since
/// compilers do not vectorise std::sqrt where it has to set errno.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T rsqrt(T x) noexcept {
  using F = format<T>;
  using U = bits_of<T>;
  constexpr T inf = static_cast<T>(__builtin_inff()), none = static_cast<T>(__builtin_nanf(""));
  constexpr T least = from_bits<T>(U{1} << F::digits);
  constexpr T up = F::digits == 23 ? T(0x1p24f) : T(0x1p54);
  constexpr T root_of_up = F::digits == 23 ? T(0x1p12f) : T(0x1p27);
  T const a = magnitude(x);
  U const small = below(a, least);
  T const y = rsqrt_of_normal(select(small, a * up, a)) * select(small, root_of_up, T(1));
  U const is_number = below(a, inf) & ~negative(x);
  U const is_zero = below(a, from_bits<T>(1)), is_inf = ~is_number & ~below(inf, a) & ~negative(x);
  T const at_ends = select(is_zero, with_sign(inf, sign_of(x)), select(is_inf, T(0), none));
  return select(is_number & ~is_zero, y, at_ends);
}

}}}  // namespace placement::v0_1::math
