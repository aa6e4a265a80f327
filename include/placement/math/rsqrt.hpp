#pragma once

#include <placement/math/bits.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// A first guess at 1 / sqrt(x) to 3.4 %, from half of x's exponent, and refined: each step leaves
/// about the cube of the error. Source: Moroz, Walczyk, Hrynchyshyn, Holimath, Cieslinski: Fast
/// calculation of inverse square root with the use of magic constant (2018), for the guess;
/// Householder's method of third order for the steps.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V refined_rsqrt(V x, V y) noexcept {
  using T = element_of<V>;
  V const e = 1 - x * y * y;
  return y + y * e * (T(0.5) + T(0.375) * e);
}
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V rsqrt_of_normal(V x) noexcept {
  V const guess = from_bits<V>(0x5f375a86u - (to_bits(x) >> 1));
  V const y = refined_rsqrt(x, refined_rsqrt(x, guess));
  return y + y * (0.5f * (1 - x * y * y));
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V rsqrt_of_normal(V x) noexcept {
  V const guess = from_bits<V>(0x5fe6eb50c7b537a9u - (to_bits(x) >> 1));
  V const y = refined_rsqrt(x, refined_rsqrt(x, refined_rsqrt(x, guess)));
  return y + y * (0.5 * (1 - x * y * y));
}

/// 1 / sqrt(x): infinity at 0, 0 at infinity, NaN below 0. By multiplications alone, since
/// compilers do not vectorise std::sqrt where it has to set errno.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V rsqrt(V x) noexcept {
  using F = format<V>;
  using T = element_of<V>;
  using U = bits_of<T>;
  constexpr T inf = static_cast<T>(__builtin_inff()), none = static_cast<T>(__builtin_nanf(""));
  constexpr T least = from_bits<T>(U{1} << F::digits);
  constexpr T up = F::digits == 23 ? T(0x1p24f) : T(0x1p54);
  constexpr T root_of_up = F::digits == 23 ? T(0x1p12f) : T(0x1p27);
  V const a = magnitude(x);
  auto const small = below(a, least);
  V const y = rsqrt_of_normal(select(small, a * up, a)) * select(small, V(root_of_up), V(1));
  auto const is_number = below(a, inf) & ~negative(x);
  auto const is_zero = below(a, from_bits<T>(1));
  auto const is_inf = ~is_number & ~above(a, inf) & ~negative(x);
  V const at_ends = select(is_zero, with_sign(V(inf), sign_of(x)), select(is_inf, V(0), V(none)));
  return select(is_number & ~is_zero, y, at_ends);
}

}}}  // namespace placement::v0_1::math
