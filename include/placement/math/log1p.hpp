#pragma once

#include <placement/math/log.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// What u = 1 + x loses to rounding.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V lost_by_one_more(V x, V u) noexcept {
  V const of_x = u - 1;
  return (1 - (u - of_x)) + (x - of_x);
}
/// The logarithm of u + lost, from u as 2^k m. What u lost is 2^-k of itself beside m. down: 2^-k.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log1p_of_split(V lost, split<V> const& s,
                                                                V down) noexcept {
  V const f = s.mantissa - 1, of_mantissa = lost * down;
  if constexpr (floats<V>) return log_of_parts(s.exponent, f, of_mantissa);
  else return log_of_parts(s.exponent, f, V(of_mantissa * (1 - f)));
}
/// log(u + lost) of a normal number u, whose last digits `lost` has the size of.
template <class V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_log_of_sum(V u, V lost) noexcept {
  using T = element_of<V>;
  auto const s = split_normal_at_root(u, V(0));
  // u and its mantissa have the same digits
  V const down = from_bits<V>(to_bits(s.mantissa) - to_bits(u) + to_bits(T(1)));
  return log1p_of_split(lost, s, down);
}
/// Where 1 + x is a normal number below this one, near_log1p is log1p.
template <class T> inline constexpr T end_of_near_log1p = T(0x1p1000);
template <> inline constexpr float end_of_near_log1p<float> = 0x1p100f;
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V near_log1p(V x) noexcept {
  V const u = 1 + x;
  return with_sign(near_log_of_sum(u, lost_by_one_more(x, u)), sign_of(x));  // of -0
}
/// log(1 + x), exact to the last digits for x near 0, too. A pack tests once for sums that are 0 or
/// below, very large or NaN.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log1p(V x) noexcept {
  using F = format<V>;
  using T = element_of<V>;
  V const u = 1 + x;
  auto const of_any = [&]() PLACEMENT_ALWAYS_INLINE {
    auto const s = split_at_root(u);
    V const down = power_of_two<V>(to_bits(V(F::once - limited(s.exponent, T(100)))));
    V const y = log1p_of_split(lost_by_one_more(x, u), s, down);
    return select(below(magnitude(x), tiny<T>), x, where_log_is(u, y));
  };
  if constexpr (one_number<V>) {
    return of_any();
  } else {
    return replace_where(near_log1p(x), no_positive_normal(u, end_of_near_log1p<T>), of_any);
  }
}

}}}  // namespace placement::v0_1::math
