#pragma once

#include <placement/math/exp.hpp>

namespace placement::inline v0_1::math {

/// How tanh and its like are computed: first + top / bottom, so that both sides of the choice share
/// a division.
template <class T> struct quotient {
  T first, top, bottom;
};

/// tanh(x) = x + x z p(z) / q(z) with z = x^2, for |x| <= 1. Source: minimax fits; relative errors
/// 2^-32.5 and 2^-60.6.
[[gnu::always_inline]] PLACEMENT_HD constexpr quotient<float> tanh_near_0(float x) noexcept {
  float const z = x * x;
  return {x, x * z * polynomial(z, -0x1.555554p-2f, -0x1.e13fdep-7f),
          polynomial(z, 1.f, 0x1.c6b78ap-2f, 0x1.018d32p-6f)};
}
[[gnu::always_inline]] PLACEMENT_HD constexpr quotient<double> tanh_near_0(double x) noexcept {
  double const z = x * x;
  return {x,
          x * z *
              polynomial(z, -0x1.5555555555554p-2, -0x1.5eb7143bfcbd2p-6, -0x1.fdd44d79cd184p-13,
                         -0x1.275e5dcb83b72p-26),
          polynomial(z, 1., 0x1.db5bed64d8f89p-2, 0x1.9199852cd76ebp-6, 0x1.0a755df4ada6fp-12)};
}

/// Where tanh is 1 in the type.
template <class T> inline constexpr T one_of_tanh = 20;
template <> inline constexpr float one_of_tanh<float> = 10;

/// The hyperbolic tangent: 1 - 2 / (exp(2 |x|) + 1), and a quotient of polynomials up to |x| = 1.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T tanh(T x) noexcept {
  T const a = magnitude(x);
  auto const near = tanh_near_0(a);
  T const e = exp_in_range(2 * limited(a, one_of_tanh<T>));
  auto const is_near = below(a, T(1));
  T const top = select(is_near, near.top, T(-2)), bottom = select(is_near, near.bottom, e + 1);
  return with_sign(select(is_near, near.first, T(1)) + top / bottom, sign_of(x));
}

}  // namespace placement::inline v0_1::math
