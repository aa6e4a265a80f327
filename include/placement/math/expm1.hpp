#pragma once

#include <placement/math/exp.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2, to a relative error of expm1 of 2^-60.8. Source: a
/// minimax fit.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V expm1_tail(V r) noexcept {
  return polynomial(r, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555552p-5, 0x1.1111111110056p-7,
                    0x1.6c16c16c18931p-10, 0x1.a01a01ac1a73cp-13, 0x1.a01a0197bcfecp-16,
                    0x1.71de01b880457p-19, 0x1.27e500e0a279ep-22, 0x1.af4eb2bd1f364p-26,
                    0x1.1f32eabd20573p-29);
}

/// exp(x) - 1, exact to the last digits for x near 0, too. Of float with exp(x) = root^2 (1 +
/// tail), where root - 1 / root loses nothing that counts.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V expm1(V x) noexcept {
  auto const [k, root, tail] = parts_of_exp(no_less(x, -end_of_exp<element_of<V>>));
  V const inverse = from_bits<V>(2 * to_bits(1.f) - to_bits(root));
  V const y = ((root - inverse) + root * tail) * root;
  return select(below(magnitude(x), V(tiny<element_of<V>>)), x, y);
}
/// Of double with x = n ln 2 + r it is 2^n - 1 + 2^n r + 2^n (exp(r) - 1 - r). The first two terms
/// are added with the error of their sum. Half of each is computed, as 2^n may overflow.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V expm1(V x) noexcept {
  // how far below 0 it is -1 in the type, and above 0 infinite, with 2^n / 2 still a number
  constexpr double minus_one = 40, infinite = 709.8;
  V const max = select(negative(x), V(minus_one), V(infinite));
  auto const [n, r, rest] = reduce_by_ln2(limited(x, max), format<double>::once - 1);
  V const half = power_of_two<V>(n);
  V const a = half - 0.5, b = half * r, sum = a + b;
  V const from_b = sum - a, error = (a - (sum - from_b)) + (b - from_b);
  V const y = 2 * (sum + (error + half * (r * r * expm1_tail(r) + rest)));
  return select(below(magnitude(x), V(tiny<element_of<V>>)), x, y);
}

}}}  // namespace placement::v0_1::math
