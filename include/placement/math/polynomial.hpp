#pragma once
/// Polynomials with short chains of dependent steps.

#include <placement/math/bits.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace math {

/// x to the power 1, 2, 4, 8 ...
template <std::size_t N, class T>
[[gnu::always_inline]] PLACEMENT_HD constexpr T even_power(T x) noexcept {
  if constexpr (N == 1) return x;
  else return even_power<N / 2>(x) * even_power<N / 2>(x);
}

template <std::size_t First, std::size_t Count, class T, std::size_t N>
[[gnu::always_inline]] PLACEMENT_HD constexpr T part_of_polynomial(T x, T const (&c)[N]) noexcept {
  if constexpr (Count == 1) {
    return c[First];
  } else {
    constexpr std::size_t low = Count > 8 ? 8 : Count > 4 ? 4 : Count > 2 ? 2 : 1;
    return part_of_polynomial<First + low, Count - low>(x, c) * even_power<low>(x) +
           part_of_polynomial<First, low>(x, c);
  }
}

/// c[0] + c[1] x + c[2] x^2 ... of at most 24 coefficients, in about log2 as many steps one after
/// the other: processors compute several at once. Where the last digit counts, the first terms are
/// added to this.
/// Source: Estrin: Organization of computer systems (1960).
template <class T, class... C>
[[gnu::always_inline]] PLACEMENT_HD constexpr T polynomial(T x, C... c) noexcept {
  T const all[] = {c...};
  return part_of_polynomial<0, sizeof...(C)>(x, all);
}

/// The same two terms at a time, in the fewest instructions and half the steps of Horner's rule:
/// for floats, of which the processor computes many at once anyway. square: x * x.
template <class T>
[[gnu::always_inline]] PLACEMENT_HD constexpr T polynomial_by_twos(T, T, T only) noexcept {
  return only;
}
template <class T, class... C>
[[gnu::always_inline]] PLACEMENT_HD constexpr T polynomial_by_twos(T x, T square, T first, T second,
                                                                   C... c) noexcept {
  if constexpr (sizeof...(C) == 0) return first + second * x;
  else return polynomial_by_twos(x, square, c...) * square + (first + second * x);
}

/// The same step by step. Source: Horner's rule.
template <class T>
[[gnu::always_inline]] PLACEMENT_HD constexpr T polynomial_horner(T, T only) noexcept {
  return only;
}
template <class T, class... C>
[[gnu::always_inline]] PLACEMENT_HD constexpr T polynomial_horner(T x, T first, C... c) noexcept {
  return polynomial_horner(x, c...) * x + first;
}

}}}  // namespace placement::v0_1::math
