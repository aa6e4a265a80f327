#pragma once

#include <placement/math/exp.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// exp(a) / 2 for a >= 0, infinite where that is, not where exp(a) is; and what it loses.
template <class V> struct half_exponential {
  V value, lost;
};
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr half_exponential<V> half_of_exp(V a) noexcept {
  using T = element_of<V>;
  constexpr T end_of_half = format<V>::digits == 23 ? T(90) : T(711);
  auto const [n, r, rest] = reduce_by_ln2(no_more(a, end_of_half), format<V>::twice - 1);
  auto const [low, high] = powers_of_two<V>(n);
  V const tail = r + (r * r * exp_tail(r) + rest), sum = 1 + tail;
  return {sum * low * high, (tail - (sum - 1)) * low * high};
}

/// (sinh(a) - a) / a^3 in z = a^2, for a up to 1. Source: minimax fits; errors of sinh 2^-30.2 and
/// 2^-59.9.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sinh_tail(V z) noexcept {
  return polynomial(z, 0x1.555556p-3f, 0x1.1110c6p-7f, 0x1.a0354cp-13f, 0x1.7254e8p-19f);
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sinh_tail(V z) noexcept {
  return polynomial(z, 0x1.5555555555555p-3, 0x1.1111111111198p-7, 0x1.a01a01a00ba06p-13,
                    0x1.71de3a5e92f5cp-19, 0x1.ae6453429517ap-26, 0x1.61222dc8361f6p-33,
                    0x1.b263553e1e579p-41);
}

/// The hyperbolic sine: a polynomial up to 1, beyond it exp(a) / 2 less its inverse's quarter.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sinh(V x) noexcept {
  using T = element_of<V>;
  V const a = magnitude(x), z = a * a;
  auto const [half, lost] = half_of_exp(a);
  V const near = multiply_add(V(a * z), sinh_tail(z), a), far = half - (T(0.25) / half - lost);
  return with_sign(select(below(a, T(1)), near, far), sign_of(x));
}
/// The hyperbolic cosine.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V cosh(V x) noexcept {
  auto const [half, lost] = half_of_exp(magnitude(x));
  return half + (element_of<V>(0.25) / half + lost);
}

}}}  // namespace placement::v0_1::math
