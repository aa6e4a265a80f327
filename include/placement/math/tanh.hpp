#pragma once

#include <placement/math/exp.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// tanh(x) = x - x z / p(z) with z = x^2, for |x| up to the seam; of double the quotient is one of
/// two polynomials. Source: minimax fits, of float weighted with 1 + (x / seam)^4, as its last
/// steps err more there; relative errors 2^-25.6 and 2^-60.6.
template <class T> inline constexpr T tanh_seam = 1;
template <> inline constexpr float tanh_seam<float> = 1.23f;

/// first - first * top / bottom.
template <class V> struct with_quotient {
  V first, top, bottom;
};
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr with_quotient<V> tanh_near_0(V x) noexcept {
  V const z = x * x;
  return {x, z,
          polynomial_horner(z, 0x1.80002p+1f, 0x1.333198p+0f, -0x1.733d78p-8f, 0x1.c004aep-13f)};
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr with_quotient<V> tanh_near_0(V x) noexcept {
  V const z = x * x;
  return {x,
          z * polynomial(z, 0x1.5555555555554p-2, 0x1.5eb7143bfcbd2p-6, 0x1.fdd44d79cd184p-13,
                         0x1.275e5dcb83b72p-26),
          1 + z * polynomial(z, 0x1.db5bed64d8f89p-2, 0x1.9199852cd76ebp-6, 0x1.0a755df4ada6fp-12)};
}

/// The same from the seam on, up to infinity: 1 - 2 / (exp(2x) + 1). Of float the fourth power of a
/// polynomial stands for (exp(2x) + 1) / 2, which needs no limits (step by step: in another order
/// infinity would give NaN) and leaves tanh an error of 2^-24.9. Source: a minimax fit up to 8.5,
/// weighted with 1 - tanh.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr with_quotient<V> tanh_far(V x) noexcept {
  V const root =
      polynomial_horner(x, 0x1.023e4ep+0f, 0x1.b923ecp-3f, 0x1.b203c6p-3f, -0x1.50e48ap-7f,
                        0x1.38cb4ap-8f, 0x1.4dbc94p-11f, -0x1.c9cffcp-14f, 0x1.794b32p-17f);
  V const square = root * root;
  return {V(1), V(1), square * square};
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr with_quotient<V> tanh_far(V x) noexcept {
  constexpr double one_of_tanh = 20;  // from here tanh is 1 in the type
  return {V(1), V(2), exp_in_range(2 * no_more(x, one_of_tanh)) + 1};
}

/// The hyperbolic tangent; both sides of the choice share a division.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V tanh(V x) noexcept {
  V const a = magnitude(x);
  auto const near = tanh_near_0(a), far = tanh_far(a);
  auto const is_near = below(a, tanh_seam<element_of<V>>);
  V const first = select(is_near, near.first, far.first);
  V const top = select(is_near, near.top, far.top);
  V const bottom = select(is_near, near.bottom, far.bottom);
  return with_sign(first - first * (top / bottom), sign_of(x));
}

}}}  // namespace placement::v0_1::math
