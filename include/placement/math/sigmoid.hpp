#pragma once

#include <placement/math/exp.hpp>

namespace placement { inline namespace v0_1 { namespace math {

/// 1 / (1 + exp(-x)) of float: with exp(-x) = low high (1 + tail), both divided by low, nothing
/// overflows. The smaller terms are added first.
template <floats V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sigmoid(V x) noexcept {
  constexpr float shift = format<float>::twice;
  auto const [n, r, rest] = reduce_by_ln2(-within(x, end_of_exp<element_of<V>>), shift);
  auto const [low, high] = powers_of_two<V>(n);
  V const inverse = from_bits<V>(2 * to_bits(1.f) - to_bits(low));
  V const square = r * r, q = polynomial_by_twos(r, square, 0x1p-1f, 0x1.555556p-3f, 0x1.555502p-5f,
                                                 0x1.110ff2p-7f, 0x1.6d2ep-10f, 0x1.a2676p-13f);
  return inverse / (high + multiply_add(high, V(multiply_add(square, q, r)), inverse));
}

/// The same of double with fused multiply-add. What the sum high + inverse + high tail loses to
/// rounding, and the first of these sums, is put back after the division: y low = 1 / sum.
template <doubles V>
PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sigmoid_by_fused(V x) noexcept {
  constexpr double shift = format<double>::twice;
  V const a = limited(x, end_of_exp<double>), k = fused(a, V(-0x1.71547652b82fep+0), V(shift));
  V const n = k - shift;
  V const r = fused(n, V(-0x1.abc9e3b39803fp-56), fused(n, V(-0x1.62e42fefa39efp-1), V(-a)));
  auto const [low, high] = powers_of_two<V>(to_bits(k));
  V const inverse = from_bits<V>(2 * to_bits(1.) - to_bits(low)), first = high + inverse;
  V const square = r * r,
          tail = fused(square,
                       polynomial_by_twos(r, square, 0x1.0000000000001p-1, 0x1.5555555555558p-3,
                                          0x1.5555555553cd9p-5, 0x1.111111110f8dbp-7,
                                          0x1.6c16c178ab683p-10, 0x1.a01a01afb725ep-13,
                                          0x1.a019b8b7963dcp-16, 0x1.71ddf787534fap-19,
                                          0x1.2891d2af5d43bp-22, 0x1.af61c09cbbc75p-26),
                       r);
  V const sum = fused(high, tail, first);
  V const lost = fused(high, tail, V(first - sum)) + (inverse - (first - high));
  V const y = inverse / sum;
  return fused(fused(V(-y), lost, fused(V(-sum), y, inverse)), V(y * low), y);
}
/// The same of double, computed from e = exp(-|x|), which never overflows, as 1 / (1 + e) or
/// e / (1 + e). What the sum 1 + e and e itself lose to rounding is put back after the division.
template <doubles V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V sigmoid(V x) noexcept {
  if (is_fused()) return sigmoid_by_fused(x);
  V const a = no_more(magnitude(x), end_of_exp<double>);
  auto const [n, r, rest] = reduce_by_ln2(-a, format<double>::twice);
  auto const [low, high] = powers_of_two<V>(n);
  V const tail = r + (r * r * exp_tail(r) + rest), one_more = 1 + tail;
  V const e = one_more * low * high, lost_of_e = (tail - (one_more - 1)) * low * high;
  V const sum = 1 + e, lost = (e - (sum - 1)) + lost_of_e;
  auto const left = negative(x);
  V const y = select(left, e, V(1)) / sum, inverse = select(left, 1 - y, y);
  return y + (select(left, lost_of_e, V(0)) - y * lost) * inverse;
}

}}}  // namespace placement::v0_1::math
