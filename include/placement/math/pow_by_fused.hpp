#pragma once
/// Powers with fused multiply-add: of floats without doubles.

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

/// 2 / ln 2, and a third of it, which for float is part of the fit.
template <class T> struct log2_terms;
template <> struct log2_terms<float> {
  static constexpr float first = 0x1.715476p+1f, first_low = 0x1.4ae0cp-25f;
  static constexpr float second = 0x1.ec709ep-1f, second_low = -0x1.75f7acp-26f;
};
template <> struct log2_terms<double> {
  static constexpr double first = 0x1.71547652b82fep+1, first_low = 0x1.777d0ffda0d24p-55;
  static constexpr double second = 0x1.ec709dc3a03fdp-1, second_low = 0x1.d27f05548af0cp-55;
};
/// (log2((1 + s) / (1 - s)) / s - first - second z) / z^2 for z = s^2. Source: minimax fits; beside
/// the whole 2^-37.6 and 2^-73.5.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log2_tail(V z) noexcept {
  return polynomial_horner(z, 0x1.277768p-1f, 0x1.a59652p-2f, 0x1.5c62ccp-2f);
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log2_tail(V z) noexcept {
  return polynomial_by_twos(z, V(z * z), 0x1.2776c50ef9bfcp-1, 0x1.a61762a7aefa4p-2,
                            0x1.484b13d696de4p-2, 0x1.0c9a8543e3b06p-2, 0x1.c68ee54092b6dp-3,
                            0x1.8a0a438423e99p-3, 0x1.58f2e6bc5f728p-3, 0x1.623b5684b3a90p-3);
}

/// k + log2(m) for m from split_normal_at_root, to a relative error of about 2^-36, of double
/// 2^-65. With s = (m - 1) / (m + 1) and z = s^2: log2(m) = s (first + z (second + z
/// log2_tail(z))). The quotient s, z, the first two terms and the products are sums of two numbers.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr in_two<V> log2_by_fused(V k, V m) noexcept {
  using T = element_of<V>;
  using terms = log2_terms<T>;
  constexpr T first = terms::first, second = terms::second;
  V const f = m - 1, d = m + 1, dl = f - (d - 2), inverse = 1 / d;
  V const s = f * inverse, sl = fused(V(-s), dl, fused(V(-s), d, f)) * inverse;
  V const z = s * s, zl = fused(s, s, V(-z)), tail = log2_tail(z);
  V const a = fused(z, V(second), V(first)), of_a = fused(z, V(second), V(first - a));
  V const lower = fused(z, fused(z, tail, V(terms::second_low)), V(terms::first_low));
  V const al = of_a + fused(zl, V(second), lower);
  // of the product, where s changes: first / (1 - z)
  V const slope = fused(doubles<V> ? fused(z, z, z) : z, V(first), V(first));
  V const high = fused(s, a, k), of_high = fused(s, a, V(k - high));
  return {high, fused(s, al, fused(sl, slope, of_high))};
}

/// (2^r - 1) / r for |r| up to 1/2. Source: minimax fits; of 2^r relative errors 2^-28.4, 2^-56.3.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp2_slope(V r) noexcept {
  V const tail = polynomial_by_twos(r, V(r * r), 0x1.ebfbdcp-3f, 0x1.c6af7ep-5f, 0x1.3b2ddp-7f,
                                    0x1.5f0648p-10f, 0x1.4179cep-13f);
  return fused(r, tail, V(0x1.62e43p-1f));
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V exp2_slope(V r) noexcept {
  V const tail = polynomial_by_twos(
      r, V(r * r), 0x1.ebfbdff82c5a1p-3, 0x1.c6b08d704a045p-5, 0x1.3b2ab6fba077cp-7,
      0x1.5d87fe78c37f4p-10, 0x1.4309130dca4b0p-13, 0x1.ffcbfbc79914ep-17, 0x1.62bfc9e7ed8fep-20,
      0x1.b52653292b76ep-24, 0x1.e617ce3d583bfp-28, 0x1.e7c68a22d9b89p-32);
  return fused(r, tail, V(0x1.62e42fefa39efp-1));
}

/// x^y, within 0.95 ulps, of double 1.2. Far are an x that is no positive normal number, and a y
/// that is not finite. So is a power outside of 2^-126 to 2^126, of double 2^-1022 to 2^1022.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr near_power<V> near_pow_by_fused(V x, V y) noexcept {
  using T = element_of<V>;
  using U = bits_of<T>;
  auto const [k, m] = split_normal_at_root(x, V(0));
  auto const log2 = log2_by_fused(k, m);
  V const head = y * log2.high, rest = fused(y, log2.low, fused(y, log2.high, V(-head)));
  constexpr T shift = format<T>::once;
  V const e = head + rest, n = e + shift, r = (head - (n - shift)) + rest;
  // differences of bits that have a sign outside of these limits
  constexpr U least = U{1} << format<T>::digits,
              infinity = to_bits(static_cast<T>(__builtin_inff()));
  constexpr U max_exponent = to_bits(static_cast<T>(format<T>::bias - 1));
  auto const bits = to_bits(x);
  auto const outside =
      (bits - least) | (infinity - 1 - bits) | (max_exponent - 1 - to_bits(magnitude(e)));
  return {fused(r, exp2_slope(r), V(1)) * power_of_two<V>(to_bits(n)), outside};
}

}}}  // namespace placement::v0_1::math
