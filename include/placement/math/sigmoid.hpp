#pragma once

#include <placement/math/exp.hpp>

namespace placement::inline v0_1::math {

/// 1 / (1 + exp(-x)), computed from e = exp(-|x|), which never overflows, as 1 / (1 + e) or
/// e / (1 + e). What the sum 1 + e and e itself lose to rounding is put back after the division.
template <class T> [[gnu::always_inline]] PLACEMENT_HD constexpr T sigmoid(T x) noexcept {
  T const a = no_more(magnitude(x), end_of_exp<T>);
  auto const [n, r, rest] = reduce_by_ln2(-a, format<T>::twice);
  auto const [low, high] = powers_of_two<T>(n);
  T const tail = r + (r * r * exp_tail(r) + rest), one_more = 1 + tail;
  T const e = one_more * low * high, lost_of_e = (tail - (one_more - 1)) * low * high;
  T const sum = 1 + e, lost = (e - (sum - 1)) + lost_of_e;
  auto const left = negative(x);
  T const y = select(left, e, T(1)) / sum, inverse = select(left, 1 - y, y);
  return y + (select(left, lost_of_e, T(0)) - y * lost) * inverse;
}

}  // namespace placement::inline v0_1::math
