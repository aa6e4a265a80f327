#pragma once

#include <placement/math/polynomial.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// (2^r - 1 - r ln 2) / r^2 for |r| <= 1/2. Source: minimax fits; relative errors of 2^r 2^-28 and
/// 2^-57.2.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp2_tail(V r) noexcept {
  return polynomial_by_twos(r, V(r * r), 0x1.ebfbd8p-3f, 0x1.c6af74p-5f, 0x1.3b3096p-7f,
                            0x1.5f0ca8p-10f, 0x1.3fad5cp-13f);
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp2_tail(V r) noexcept {
  return polynomial(r, 0x1.ebfbdff82c5a6p-3, 0x1.c6b08d704a12cp-5, 0x1.3b2ab6fb9fd9dp-7,
                    0x1.5d87fe789e99p-10, 0x1.4309130f6fc36p-13, 0x1.ffcbfc667752fp-17,
                    0x1.62bfc64f78edcp-20, 0x1.b52522db2536dp-24, 0x1.e61d57b36be8ap-28,
                    0x1.e972f12c4fed4p-32);
}

/// From here on 2^x is infinite, and from its negative on 0.
template <class T> inline constexpr T end_of_exp2 = 1080;
template <> inline constexpr float end_of_exp2<float> = 152;

/// 2 to the power x: exact for whole x. The whole part is the exponent, in two steps, as it may be
/// that of a denormal number.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp2(V x) noexcept {
  using T = element_of<V>;
  constexpr T shift = format<V>::twice;
  V const e = limited(x, end_of_exp2<T>), k = e + shift, r = e - (k - shift);
  auto const [low, high] = powers_of_two<V>(to_bits(k));
  constexpr T ln2 = format<V>::digits == 23 ? T(0x1.62e43p-1f) : T(0x1.62e42fefa39efp-1);
  return (1 + multiply_add(V(r * r), exp2_tail(r), V(r * ln2))) * low * high;
}

}}}  // namespace placement::v0_1::math
