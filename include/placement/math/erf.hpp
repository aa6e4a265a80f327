#pragma once

#include <placement/math/exp.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// (erf(x) / x - 1) as a polynomial in z = x^2, and -log(erfc(x)) as one in x - erf_seam: each
/// side's part of erf. Source: minimax fits, the second weighted with erfc; errors of erf 2^-29.9
/// and 2^-26.4 for float, 2^-56.2 and 2^-57.5 for double.
template <class T> inline constexpr T erf_seam = 1;
template <> inline constexpr float erf_seam<float> = 0.92f;
/// From here erf is 1 in the type.
template <class T> inline constexpr T one_of_erf = 5.93;
template <> inline constexpr float one_of_erf<float> = 3.92f;

template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V erf_near_0(V z) noexcept {
  return polynomial(z, 0x1.06eba8p-3f, -0x1.812742p-2f, 0x1.ce2df2p-4f, -0x1.b80db2p-6f,
                    0x1.54c5a6p-8f, -0x1.aa4e96p-11f, 0x1.5d5c98p-14f);
}
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V erf_near_0(V z) noexcept {
  return polynomial(z, 0x1.06eba8214db69p-3, -0x1.812746b0379fdp-2, 0x1.ce2f21a04362dp-4,
                    -0x1.b82ce312abf08p-6, 0x1.565bcd12991cp-8, -0x1.c02db49b09506p-11,
                    0x1.f9a335388d2f5p-14, -0x1.f4d333884b5c9p-17, 0x1.b9ee95850f6bfp-20,
                    -0x1.5f9828c55d5cep-23, 0x1.fc78cbccf045ap-27, -0x1.46794feaf949ep-30,
                    0x1.29783041ef512p-34);
}
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_of_erfc(V t) noexcept {
  return polynomial(t, -0x1.a4d428p0f, -0x1.40a03p1f, -0x1.aa5e1p-1f, -0x1.6f526ep-5f,
                    0x1.5ef092p-7f, -0x1.009592p-9f, 0x1.98d4bp-13f);
}
/// The first term is added last: roundings of the others do not count.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_of_erfc(V t) noexcept {
  V const slope = polynomial(t, -0x1.51c9b0006c236p1, -0x1.afabc11a295f4p-1, -0x1.5477f09c036dcp-5,
                             0x1.48c9d3eb1efebp-7, -0x1.033f65b026325p-9, 0x1.f1b389839cf6bp-13,
                             0x1.b8de9c9e19505p-16, -0x1.c7a77eb56ab1p-16, 0x1.426bd16f25cc4p-17,
                             -0x1.147536a6c2b6bp-19, 0x1.32d2895a38b8dp-23, 0x1.a2f6692a287a4p-24,
                             -0x1.bf0068363795p-25, 0x1.002d31e2d506ep-26, -0x1.89a16646d3b32p-29,
                             0x1.94e4ae2b6c6eap-32, -0x1.faee22dc4a65bp-36, 0x1.247b85ff0dc38p-40);
  return multiply_add(t, slope, V(-0x1.d97fbf27aa2a1p0));
}

/// The error function: a polynomial near 0, beyond it 1 - exp(log(erfc(|x|))), whose error weighs
/// no more than erfc does beside erf.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V erf(V x) noexcept {
  using T = element_of<V>;
  V const a = magnitude(x), z = a * a;
  V const t = no_more(a, one_of_erf<T>) - erf_seam<T>;
  V const far = 1 - exp_in_range(log_of_erfc(t));
  return with_sign(select(below(a, erf_seam<T>), a + a * erf_near_0(z), far), sign_of(x));
}

}}}  // namespace placement::v0_1::math
