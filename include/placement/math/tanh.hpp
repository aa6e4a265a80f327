#pragma once

#include <placement/math/exp.hpp>

namespace placement::inline v0_1::math {

/// tanh(x) = x + x z p(z) / q(z) with z = x^2, for |x| up to the seam. Source: minimax fits;
/// relative errors 2^-26.4 and 2^-60.6.
template <class T> inline constexpr T tanh_seam = 1;
template <> inline constexpr float tanh_seam<float> = 0.7f;

/// first + top / bottom.
template <class T> struct with_quotient {
  T first, top, bottom;
};
[[gnu::always_inline]] PLACEMENT_HD constexpr with_quotient<float> tanh_near_0(float x) noexcept {
  float const z = x * x;
  return {x, x * z * (-0x1.912ea6p-10f * z - 0x1.555534p-2f), 1 + z * 0x1.9e480ep-2f};
}
[[gnu::always_inline]] PLACEMENT_HD constexpr with_quotient<double> tanh_near_0(double x) noexcept {
  double const z = x * x;
  return {x,
          x * z *
              polynomial(z, -0x1.5555555555554p-2, -0x1.5eb7143bfcbd2p-6, -0x1.fdd44d79cd184p-13,
                         -0x1.275e5dcb83b72p-26),
          1 + z * polynomial(z, 0x1.db5bed64d8f89p-2, 0x1.9199852cd76ebp-6, 0x1.0a755df4ada6fp-12)};
}

/// Where tanh is 1 in the type.
template <class T> inline constexpr T one_of_tanh = 20;
template <> inline constexpr float one_of_tanh<float> = 10;

/// The hyperbolic tangent: 1 - 2 / (exp(2 |x|) + 1), near 0 the quotient of polynomials; both sides
/// of the choice share a division.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T tanh(T x) noexcept {
  T const a = magnitude(x), e = exp_in_range(2 * no_more(a, one_of_tanh<T>));
  auto const near = tanh_near_0(a);
  auto const is_near = below(a, tanh_seam<T>);
  T const top = select(is_near, near.top, T(-2)), bottom = select(is_near, near.bottom, e + 1);
  return with_sign(select(is_near, near.first, T(1)) + top / bottom, sign_of(x));
}

}  // namespace placement::inline v0_1::math
