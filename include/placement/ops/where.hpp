#pragma once

#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// x where the condition is true, y where it is false, element by element. Both are computed.
/// Shape: broadcast.  Type: a bool condition; any for x and y, the same for both.
/// Kernels: CPU, GPU (pattern map).
struct where_op {
  static constexpr std::string_view name = "SelectV2";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <element T>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr T operator()(bool condition, T x,
                                                              T y) const noexcept {
    return condition ? x : y;
  }
  template <class I, int N, class V>
  PLACEMENT_ALWAYS_INLINE constexpr V operator()(simd::mask<I, N> const& condition, V const& x,
                                                 V const& y) const noexcept {
    return simd::select(condition, x, y);
  }

  using pullback_reads = reads_operand<0>;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& condition, auto const&...) {
    if constexpr (I == 1) return where(condition, g, 0);
    else return where(condition, 0, g);
  }
};
/// `where(x > 0.f, x, 0.f)`: one of x and y may be a number.
template <operand C, class A, class B> requires operands<A, B>
auto where(C&& condition, A&& x, B&& y, site at = site::here())
    -> expr<where_op, kernels_here, node_operand_t<C>, stored_t<A, B>, stored_t<B, A>> {
  static_assert(
      std::is_same_v<typename bare<C>::value_type, bool>,
      "placement: the condition of where is not bool. Write a comparison: where(x > 0, ...).");
  return {{},
          at,
          std::forward<C>(condition),
          store<stored_t<A, B>>(std::forward<A>(x)),
          store<stored_t<B, A>>(std::forward<B>(y))};
}
/// `where(x > 0.f, 1.f, -1.f)`: both may be numbers of one element type.
template <operand C, element T>
auto where(C&& condition, T x, T y, site at = site::here())
    -> expr<where_op, kernels_here, node_operand_t<C>, scalar<T>, scalar<T>> {
  static_assert(
      std::is_same_v<typename bare<C>::value_type, bool>,
      "placement: the condition of where is not bool. Write a comparison: where(x > 0, ...).");
  return {{}, at, std::forward<C>(condition), scalar<T>{x}, scalar<T>{y}};
}

}}  // namespace placement::v0_1
