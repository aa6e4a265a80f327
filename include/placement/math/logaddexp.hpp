#pragma once

#include <placement/math/exp.hpp>
#include <placement/math/log1p.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// log(exp(x) + exp(y)) without overflow: the larger one, and log(1 + exp(d)) with d = -|x - y| and
/// what d loses. d of equal numbers is 0, also of infinities. e - e passes NaN on.
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
  V const e = exp(d);
  return most + (near_log1p(e) + (e * rest + (e - e)));
}

}}}  // namespace placement::v0_1::math
