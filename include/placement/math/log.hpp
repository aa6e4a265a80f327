#pragma once

#include <placement/math/polynomial.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// x = 2^exponent * mantissa, sqrt(1/2) <= mantissa < sqrt(2). For positive x, denormal or not.
template <class V> struct split {
  V exponent, mantissa;
};
/// Of an x that is no denormal number; `more` is subtracted from the exponent.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr split<V> split_normal_at_root(V x, V more) noexcept {
  using F = format<V>;
  using T = element_of<V>;
  using U = bits_of<T>;
  constexpr T root = F::digits == 23 ? T(0x1.6a09e6p-1f) : T(0x1.6a09e667f3bcdp-1);
  constexpr T shift = from_bits<T>(static_cast<U>(F::bias + F::digits) << F::digits);  // 2^digits
  auto const u = to_bits(x) + (to_bits(T(1)) - to_bits(root));
  V const biased = from_bits<V>((u >> F::digits) | to_bits(shift));
  return {biased - (more + (shift + F::bias)),
          from_bits<V>((u & ((U{1} << F::digits) - 1)) + to_bits(root))};
}
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr split<V> split_at_root(V x) noexcept {
  using F = format<V>;
  using T = element_of<V>;
  using U = bits_of<T>;
  constexpr T least = from_bits<T>(U{1} << F::digits), up = F::digits == 23 ? T(0x1p25) : T(0x1p54);
  constexpr T more = F::digits == 23 ? T(25) : T(54);
  auto const small = below(magnitude(x), least);
  return split_normal_at_root(select(small, x * up, x), select(small, V(more), V(0)));
}

/// log(1 + f) - f + f^2 / 2 for sqrt(1/2) <= 1 + f < sqrt(2). half: f^2 / 2.
/// Source: float, a minimax fit to 2^-28.1; double, the series in s = f / (2 + f) as in fdlibm,
/// with coefficients fitted anew, to 2^-56.6.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_tail(V f, V) noexcept {
  return f * f * f *
         polynomial(f, 0x1.555554p-2f, -0x1.fffff8p-3f, 0x1.999d44p-3f, -0x1.555c8cp-3f,
                    0x1.23d54ep-3f, -0x1.fcbfeap-4f, 0x1.de32ecp-4f, -0x1.d778e8p-4f,
                    0x1.20456cp-4f);
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_tail(V f, V half) noexcept {
  V const s = f / (2 + f), z = s * s;
  return s *
         (half + z * polynomial(z, 0x1.5555555555558p-1, 0x1.99999999951b8p-2, 0x1.2492492e1d8fap-2,
                                0x1.c71c62a81db4ep-3, 0x1.7462c6b817fc3p-3, 0x1.39fc0021016a2p-3,
                                0x1.2b75cf93d2371p-3));
}

/// ln 2 in two parts; a small whole number times the first is exact.
template <class T> struct ln2;
template <> struct ln2<float> {
  static constexpr float high = 0x1.62ep-1f, low = 0x1.0bfbe8p-15f;
};
template <> struct ln2<double> {
  static constexpr double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33;
};

/// log(2^k (1 + f + rest)): the parts that matter most are added last.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_of_parts(V k, V f, V rest) noexcept {
  using T = element_of<V>;
  V const half = T(0.5) * f * f;
  return k * ln2<T>::high + (f - (half - (log_tail(f, half) + (k * ln2<T>::low + rest))));
}

/// log(1 + f) = f - s rest with s = f / (2 + f), with fused multiply-add. Source: as log_tail.
template <class V> struct log_quotient {
  V s, rest;
};
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr log_quotient<V> log_quotient_by_fused(V f) noexcept {
  V const s = f / (2 + f), z = s * s;
  V const q = polynomial_by_twos(z, V(z * z), 0x1.5555555555558p-1, 0x1.99999999951b8p-2,
                                 0x1.2492492e1d8fap-2, 0x1.c71c62a81db4ep-3, 0x1.7462c6b817fc3p-3,
                                 0x1.39fc0021016a2p-3, 0x1.2b75cf93d2371p-3);
  return {s, fused(V(-z), q, f)};
}
/// log(2^k (1 + f)) with fused multiply-add. ln 2 rounded to float errs by 2^-28.4 alone.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_of_parts_by_fused(V k, V f) noexcept {
  V const square = f * f;
  V const q = polynomial_by_twos(f, square, -0x1p-1f, 0x1.555554p-2f, -0x1.fffff8p-3f,
                                 0x1.999d44p-3f, -0x1.555c8cp-3f, 0x1.23d54ep-3f, -0x1.fcbfeap-4f,
                                 0x1.de32ecp-4f, -0x1.d778e8p-4f, 0x1.20456cp-4f);
  return fused(k, V(0x1.62e43p-1f), fused(square, q, f));
}
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_of_parts_by_fused(V k, V f) noexcept {
  auto const [s, rest] = log_quotient_by_fused(f);
  return fused(k, V(ln2<double>::high), V(f - fused(s, rest, V(k * -ln2<double>::low))));
}
/// The same with or without it.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log_of_split(V k, V f) noexcept {
  if (is_fused()) return log_of_parts_by_fused(k, f);
  return log_of_parts(k, f, V(0));
}
/// y where x is a positive number; else -inf at 0, inf at inf, and NaN.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V where_log_is(V x, V y) noexcept {
  using T = element_of<V>;
  constexpr T inf = static_cast<T>(__builtin_inff()), none = static_cast<T>(__builtin_nanf(""));
  V const at_ends = from_bits<V>(to_bits(x) | (negative(x) & to_bits(none)));
  auto const is_number = below(magnitude(x), inf) & ~negative(x);
  auto const is_zero = below(magnitude(x), from_bits<T>(1));
  return select(is_zero, V(-inf), select(is_number, y, at_ends));
}

/// All ones where u, a number, is 0 or below, denormal, NaN, or `end` and above. Its bits less
/// those of the least normal number are compared without a sign. SSE2 compares no integers of 64
/// bits: for doubles, they or the bits of `end` less those of u are negative.
template <one_number T>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr bits_of<T> is_no_positive_normal(T u,
                                                                                T end) noexcept {
  using U = bits_of<T>;
  constexpr U least = U{1} << format<T>::digits;
  U const above_least = to_bits(u) - least;
  if constexpr (sizeof(U) == 4) return U{0} - U{above_least >= to_bits(end) - least};
  else return negative(from_bits<T>(above_least | (to_bits(end) - 1 - to_bits(u))));
}
/// log of a positive normal number.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_log(V x) noexcept {
  auto const [k, m] = split_normal_at_root(x, V(0));
  return log_of_split(k, V(m - 1));
}
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_log_by_fused(V x) noexcept {
  auto const [k, m] = split_normal_at_root(x, V(0));
  return log_of_parts_by_fused(k, V(m - 1));
}
/// The natural logarithm. A pack tests once for numbers without one, and for denormal numbers.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log(V x) noexcept {
  auto const of_any = [&]() PLACEMENT_ALWAYS_INLINE {
    auto const [k, m] = split_at_root(x);
    return where_log_is(x, log_of_split(k, V(m - 1)));
  };
  if constexpr (one_number<V>) return of_any();
  else return replace_where(near_log(x), no_positive_normal(x), of_any);
}

}}}  // namespace placement::v0_1::math
