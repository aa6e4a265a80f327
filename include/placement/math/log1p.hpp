#pragma once

#include <placement/math/log.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// log(1 + x), exact to the last digits for x near 0, too.
/// 1 + x is u and what rounding it loses; with u = 2^k (1 + f) the loss is 2^-k of itself beside f.
template <class V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V log1p(V x) noexcept {
  using T = element_of<V>;
  V const u = 1 + x, of_x = u - 1, lost = (1 - (u - of_x)) + (x - of_x);
  auto const [k, m] = split_at_root(u);
  V const f = m - 1, down = power_of_two<V>(to_bits(V(format<T>::once - limited(k, T(100)))));
  V const y = log_of_parts(k, f, lost * down * (1 - f));
  return select(below(magnitude(x), tiny<T>), x, where_log_is(u, y));
}

}}}  // namespace placement::v0_1::math
