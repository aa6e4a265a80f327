#pragma once

#include <placement/math/erf.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// exp(a^2) erfc(a) (a + 9/4) in t = (a - 9/4) / (a + 9/4), for a up to 10.3. Source: a fit at
/// Chebyshev's points, 2^-27.8.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V scaled_erfc(V t) noexcept {
  return polynomial(t, 0x1.0a3667d340878p+0, -0x1.8100c51e542b1p-1, 0x1.7c6f1c873d6d2p-2,
                    -0x1.9e8f4838623a0p-4, -0x1.d99c5f779220bp-9, 0x1.7e1c7d610ca90p-7,
                    -0x1.997894f45646fp-11, -0x1.ac50d8d2916bbp-10, 0x1.434cbb30c6dfep-15,
                    0x1.0988671e8e622p-12, 0x1.d6f4fe6d8c0b5p-15);
}
/// log(exp(a^2) erfc(a) (a + 1)) less its value where t is 0, in t = (a - 3) / (a + 3), for a from
/// 0.49 to 27.4. Source: a fit at Chebyshev's points, 2^-55.
inline constexpr double log_of_scaled_erfc_at_3 = -0x1.561619abaad01p-2;
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_of_scaled_erfc(V t) noexcept {
  return -0x1.4a433e0765de1p-2 * t +
         (t * t) * polynomial(t, 0x1.616d6ad712145p-4, 0x1.395a188e9e938p-6, -0x1.24c4b0ab794aep-5,
                              0x1.2a51573cdee50p-6, -0x1.6056cc6409a45p-9, -0x1.b97bb6510b719p-10,
                              0x1.cc68838b53b31p-12, 0x1.5e08caa3e43a5p-11, -0x1.efe142e23e0c0p-12,
                              0x1.7c3cd9d1dbcd2p-16, 0x1.6a4299bce982ap-14, -0x1.5229ca812f2a1p-17,
                              -0x1.d984619fa98ccp-16, 0x1.9c561c0a4e17ap-17, 0x1.8c2878ce748b8p-19,
                              -0x1.83bc998e4a926p-19, -0x1.fb950f9aeddf0p-22, 0x1.e0fcaacc4907ep-21,
                              -0x1.1503b0fe937f8p-23, -0x1.aaace19ec7c5fp-24, 0x1.01840669bca58p-27,
                              0x1.c975e10d2b178p-27);
}

/// 1 - erf(x), exact to the last digits for large x, too. Of float in double, whose digits suffice
/// for exp(-x^2) and the rest.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V erfc(V x) noexcept {
  constexpr float end = 10.25f;  // from here on 0
  auto const a = convert<double>(no_more(magnitude(x), end));
  using D = std::remove_const_t<decltype(a)>;
  D const inverse = 1 / (a + 2.25), t = (a - 2.25) * inverse;
  V const right = convert<float>(exp_in_range(D(-(a * a))) * (scaled_erfc(t) * inverse));
  return select(negative(x), 2 - right, right);
}
/// Of double it is exp(-a^2 + q) / (a + 1). The square has two parts. The smaller one, q, and what
/// a + 1 and its inverse lose are added to the rest of exp's argument.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V erfc(V x) noexcept {
  constexpr double end = 27.3, seam = 0.65;  // beyond the end it is 0
  constexpr double middle = log_of_scaled_erfc_at_3;
  V const m = magnitude(x), a = no_more(m, end), high = upper(a), square = high * high;
  V const of_t = log_of_scaled_erfc(V((a - 3) / (a + 3))), q = middle + of_t;
  V const d = a + 1, lost = (a - d) + 1, inverse = 1 / d, d_high = upper(d), d_low = d - d_high;
  V const i_high = upper(inverse), i_low = inverse - i_high;
  V const of_inverse = ((1 - d_high * i_high) - (d_high * i_low + d_low * i_high)) - d_low * i_low;
  V const small = (of_t - (q - middle)) + (of_inverse - ((a - high) * (a + high) + lost * inverse));
  V const more = q + small, of_more = small - (more - q);
  auto const [n, r, rest] = reduce_by_ln2(V(-square), format<double>::twice);
  V const sum = r + more, part = sum - r;
  V const of_sum = ((r - (sum - part)) + (more - part)) + (of_more + rest);
  auto const second = reduce_by_ln2(sum, format<double>::magic);
  V const s = second.r, tail = s + (s * s * exp_tail(s) + (second.rest + of_sum));
  auto const [low, up] = powers_of_two<V>(n + second.n - to_bits(V(format<double>::magic)));
  V const e = 1 + tail, of_e = tail - (e - 1);
  V const e_high = upper(e), e_low = e - e_high, y = e * inverse;
  V const of_y = ((e_high * i_high - y) + (e_high * i_low + e_low * i_high)) + e_low * i_low;
  V const far = (y + (of_y + of_e * inverse)) * low * up;
  V const near = m + m * erf_near_0(V(m * m)), right = select(below(m, seam), 1 - near, far);
  V const left = select(below(m, seam), 1 + near, 2 - far);
  return select(negative(x), left, right);
}

}}}  // namespace placement::v0_1::math
