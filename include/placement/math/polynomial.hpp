#pragma once
/// Polynomials. x is a number or a pack; coefficients are numbers.

#include <placement/math/bits.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace math {

/// x to the power 1, 2, 4, 8 ...
template <std::size_t N, class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V even_power(V x) noexcept {
  if constexpr (N == 1) return x;
  else return even_power<N / 2>(x) * even_power<N / 2>(x);
}

template <std::size_t First, std::size_t Count, class V, std::size_t N>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto part_of_polynomial(
    V x, element_of<V> const (&c)[N]) noexcept {
  if constexpr (Count == 1) {
    return c[First];
  } else {
    constexpr std::size_t low = Count > 8 ? 8 : Count > 4 ? 4 : Count > 2 ? 2 : 1;
    return multiply_add(V(part_of_polynomial<First + low, Count - low>(x, c)), even_power<low>(x),
                        V(part_of_polynomial<First, low>(x, c)));
  }
}

/// c[0] + c[1] x + c[2] x^2 ... of at most 24 coefficients. The longest chain of dependent steps is
/// about log2 of their number. Where the last digit counts, callers add the first terms last.
/// Source: Estrin: Organization of computer systems (1960).
template <class V, class... C>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V polynomial(V x, C... c) noexcept {
  element_of<V> const all[] = {c...};
  return part_of_polynomial<0, sizeof...(C)>(x, all);
}

/// The same two terms at a time: the fewest instructions, and half the steps of Horner's rule.
/// square: x * x.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V polynomial_by_twos(V, V,
                                                                    element_of<V> only) noexcept {
  return V(only);
}
template <class V, class... C>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V polynomial_by_twos(V x, V square,
                                                                    element_of<V> first,
                                                                    element_of<V> second,
                                                                    C... c) noexcept {
  V const two = multiply_add(V(second), x, V(first));
  if constexpr (sizeof...(C) == 0) return two;
  else return multiply_add(polynomial_by_twos(x, square, c...), square, two);
}

/// The same one term at a time. Source: Horner's rule.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V polynomial_horner(V, element_of<V> only) noexcept {
  return V(only);
}
template <class V, class... C>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V polynomial_horner(V x, element_of<V> first,
                                                                   C... c) noexcept {
  return multiply_add(polynomial_horner(x, c...), x, V(first));
}

}}}  // namespace placement::v0_1::math
