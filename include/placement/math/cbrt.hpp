#pragma once

#include <placement/math/log.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// 1 / cbrt(m) for m from sqrt(1/2) to sqrt(2). Source: minimax fits, 2^-11.9 and 2^-14.6.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V guess_of_cbrt(V m) noexcept {
  return polynomial(m, 0x1.bb0eep0f, -0x1.4922c6p0f, 0x1.6d34cep-1f, -0x1.44a81ep-3f);
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V guess_of_cbrt(V m) noexcept {
  return polynomial(m, 0x1.dfdf76e7c88bp0, -0x1.dc9ca628ede4p0, 0x1.8fab03c69a0adp0,
                    -0x1.67961860318dep-1, 0x1.06dd73599b18dp-3);
}

/// The cube root. x = 2^(3 q + s) m with s = -1, 0 or 1 gives 2^q cbrt(2^s m). With y about
/// 1 / cbrt(v) and e = 1 - v y^3 it is v y^2 (1 - e)^(-2/3), and a step of Newton's method rounds
/// it. Source: the series of (1 - e)^(-2/3).
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V cbrt(V x) noexcept {
  using T = element_of<V>;
  using F = format<V>;
  V const a = magnitude(x);
  auto const [k, m] = split_at_root(a);
  V const shifted = multiply_add(k, V(T(1) / 3), V(F::once)), s = k - 3 * (shifted - F::once);
  auto const is_more = above(magnitude(s), T(0.5)) & ~negative(s);
  auto const is_less = above(magnitude(s), T(0.5)) & negative(s);
  V const power = select(is_more, V(2), select(is_less, V(T(0.5)), V(1)));
  constexpr T root = F::digits == 23 ? T(0x1.965feap-1f) : T(0x1.965fea53d6e3dp-1);
  constexpr T inverse = F::digits == 23 ? T(0x1.428a3p+0f) : T(0x1.428a2f98d728bp+0);
  V const v = m * power;
  V const y = guess_of_cbrt(m) * select(is_more, V(root), select(is_less, V(inverse), V(1)));
  V const square = y * y, e = 1 - v * (square * y), start = v * square;
  V const series = multiply_add(multiply_add(V(T(40) / 81), e, V(T(5) / 9)), e, V(T(2) / 3));
  V const c = multiply_add(V(start * e), series, start);
  V const better = c - (c * c * c - v) * (T(1) / 3 * square);
  constexpr T inf = static_cast<T>(__builtin_inff());
  auto const is_number = below(a, inf) & ~below(a, from_bits<T>(1));
  V const result = better * power_of_two<V>(to_bits(shifted));
  return with_sign(select(is_number, result, a), sign_of(x));
}

}}}  // namespace placement::v0_1::math
