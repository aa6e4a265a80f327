#pragma once

#include <placement/math/bits.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// A guess at 1 / sqrt(x), to 3.4 % from half of the exponent of x. A step leaves about a
/// quarter of the fifth power of the error's double: 2^-21. Source: Moroz, Walczyk, Hrynchyshyn,
/// Holimath, Cieslinski: Fast calculation of inverse square root with the use of magic constant
/// (2018), for the guess; the series of (1 - e)^(-1/2) for the steps.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V rsqrt_to_21_bits(V x, V guess) noexcept {
  using T = element_of<V>;
  V const e = 1 - x * guess * guess;
  V const p = multiply_add(
      multiply_add(multiply_add(V(T(0.2734375)), e, V(T(0.3125))), e, V(T(0.375))), e, V(T(0.5)));
  return multiply_add(V(guess * e), p, guess);
}
/// Of float a guess with factors fitted to a first step of Newton's method leaves 2^-10.6, and a
/// step of third order 2^-30. Source: Kadlec: Improving the fast inverse square root (2010).
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V rsqrt_of_normal(V x) noexcept {
  V const guess = from_bits<V>(0x5f1ffff9u - (to_bits(x) >> 1));
  V const y = guess * multiply_add(V(x * guess * guess), V(-0.703952253f), V(1.68191391f));
  V const e = 1 - x * y * y;
  return multiply_add(V(y * e), V(multiply_add(V(0.375f), e, V(0.5f))), y);
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V rsqrt_of_normal(V x) noexcept {
  V const guess = from_bits<V>(0x5fe6eb50c7b537a9u - (to_bits(x) >> 1));
  V const y = rsqrt_to_21_bits(x, guess), e = 1 - x * y * y;
  return multiply_add(V(y * e), V(multiply_add(V(0.375), e, V(0.5))), y);
}

/// The same of any x: infinity at 0, 0 at infinity, NaN below 0.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V rsqrt_of_any(V x) noexcept {
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

/// 1 / sqrt(x), by multiplications alone. A pack tests once for zeros, denormal numbers,
/// infinities, NaN and numbers below 0.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V rsqrt(V x) noexcept {
  if constexpr (one_number<V>) return rsqrt_of_any(x);
  else
    return replace_where(rsqrt_of_normal(x), no_positive_normal(x),
                         [&]() PLACEMENT_ALWAYS_INLINE { return rsqrt_of_any(x); });
}

}}}  // namespace placement::v0_1::math
