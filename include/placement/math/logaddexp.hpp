#pragma once

#include <placement/math/exp.hpp>
#include <placement/math/log1p.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// log(1 + exp(d + rest)) for d <= 0, and NaN for NaN.
template <floats V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log1p_of_exp(V d, V rest) noexcept {
  V const e = exp(d);
  return near_log1p(e) + (e * rest + (e - e));
}
/// The same with what exp(d) loses.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log1p_of_exp(V d, V rest) noexcept {
  auto const [n, r, of_r] =
      reduce_by_ln2(limited(d, end_of_exp<element_of<V>>), format<double>::twice);
  auto const [low, high] = powers_of_two<V>(n);
  V const more = r + (r * r * exp_tail(r) + of_r), sum = 1 + more, lost = more - (sum - 1);
  V const e = sum * low * high, u = 1 + e, of_u = e - (u - 1);
  return near_log_of_sum(u, V(of_u + (e * rest + lost * low * high)));
}

/// log(exp(x) + exp(y)) without overflow: the larger one, and log(1 + exp(d)) with d = -|x - y| and
/// what d loses. d of equal numbers is 0, also of infinities.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V logaddexp(V x, V y) noexcept {
  using T = element_of<V>;
  auto const is_less = negative(V(x - y));
  V const most = select(is_less, y, x), least = select(is_less, x, y);
  // The top bit of others | -others: most is not least.
  bits_of<V> const others = to_bits(most) ^ to_bits(least);
  auto const differ = negative(from_bits<V>(others | (bits_of<V>{} - others)));
  V const d = from_bits<V>(to_bits(V(least - most)) & differ), part = d - least;
  auto const is_near = differ & below(magnitude(d), end_of_exp<T>);
  V const rest = select(is_near, V((least - (d - part)) - (most + part)), V(0));
  return most + log1p_of_exp(d, rest);
}

}}}  // namespace placement::v0_1::math
