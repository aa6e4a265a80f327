#pragma once
/// Powers of floats without doubles, for processors with a fused multiply-add.

#include <placement/math/log.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// A power of a number. The sign of is_far: whether `value` is none, and another formula has it.
template <class V> struct near_power {
  V value;
  bits_of<V> is_far;
};

/// A number as the sum of two.
template <class V> struct in_two {
  V high, low;
};

/// k + log2(m) for m from split_normal_at_root, to a relative error of about 2^-36.
/// With s = (m - 1) / (m + 1) and z = s^2: log2(m) = s (2 / ln 2 + z (c + z h(z))). The quotient s,
/// z, the first two terms and the products are sums of two numbers.
/// Source: the series; c and h a minimax fit, 2^-37.6 beside the whole.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr in_two<V> log2_in_floats(V k, V m) noexcept {
  V const f = m - 1, d = m + 1, dl = f - (d - 2), inverse = 1 / d;
  V const s = f * inverse, sl = fused(V(-s), dl, fused(V(-s), d, f)) * inverse;
  V const z = s * s, zl = fused(s, s, V(-z));
  constexpr float c = 0x1.ec709ep-1f, c_low = -0x1.75f7acp-26f;
  constexpr float first = 0x1.715476p+1f, first_low = 0x1.4ae0cp-25f;
  V const h = polynomial_horner(z, 0x1.277768p-1f, 0x1.a59652p-2f, 0x1.5c62ccp-2f);
  V const a = fused(z, V(c), V(first)), of_a = fused(z, V(c), V(first - a));
  V const al = of_a + fused(zl, V(c), fused(z, fused(z, h, V(c_low)), V(first_low)));
  V const slope = fused(z, V(3 * c), V(first));  // of the product, where s changes
  V const high = fused(s, a, k), of_high = fused(s, a, V(k - high));
  return {high, fused(s, al, fused(sl, slope, of_high))};
}

/// 2^r for |r| up to 1/2. Source: a minimax fit, 2^-28.4.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp2_of_rest(V r) noexcept {
  V const tail = polynomial_by_twos(r, V(r * r), 0x1.ebfbdcp-3f, 0x1.c6af7ep-5f, 0x1.3b2ddp-7f,
                                    0x1.5f0648p-10f, 0x1.4179cep-13f);
  return fused(r, fused(r, tail, V(0x1.62e43p-1f)), V(1));
}

/// x^y, within 0.95 ulps. It is far where x is no positive normal number, y is not finite, or the
/// power is not between 2^-126 and 2^126.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr near_power<V> pow_in_floats(V x, V y) noexcept {
  auto const [k, m] = split_normal_at_root(x, V(0));
  auto const log2 = log2_in_floats(k, m);
  V const e = y * log2.high, of_e = fused(y, log2.low, fused(y, log2.high, V(-e)));
  constexpr float shift = format<float>::once;
  V const n = e + shift, r = (e - (n - shift)) + of_e;
  // differences of bits that have a sign outside of these limits
  constexpr std::uint32_t least = to_bits(0x1p-126f), max = to_bits(0x1.fffffep127f);
  constexpr std::uint32_t max_exponent = to_bits(126.f) - 1;
  auto const bits = to_bits(x);
  auto const outside = (bits - least) | (max - bits) | (max_exponent - to_bits(magnitude(e)));
  return {exp2_of_rest(r) * power_of_two<V>(to_bits(n)), outside};
}

}}}  // namespace placement::v0_1::math
