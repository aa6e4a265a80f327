#pragma once

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/row_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/update.hpp>

namespace placement { inline namespace v0_1 {

/// x * y, element by element.
/// Shape: broadcast.  Type: any arithmetic but bool, the same on both sides; signed integers wrap.
/// Kernels: CPU, GPU (pattern map).
struct multiply_op {
  static constexpr std::string_view name = "Mul";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr bool has_complex_loop = true;
  static constexpr bool is_arithmetic = true;
  static constexpr detail::block_form form = detail::block_form::product;
  template <detail::has_row_loops T>
  static constexpr detail::row_function row_loop = &detail::row_loops<T>::multiply;
  template <number_or_complex V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    if constexpr (std::is_integral_v<V>) return static_cast<V>(as_unsigned(x) * as_unsigned(y));
    else if constexpr (is_complex<V>) return detail::complex_math<V>::multiply(x, y);
    else return x * y;
  }

  using pullback_reads = reads_other_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& a, auto const& b) {
    if constexpr (I == 0) return g * b;
    else return g * a;
  }
};
template <class A, class B> requires operands<A, B>
PLACEMENT_ALWAYS_INLINE inline auto operator*(A&& a, B&& b) -> binary<multiply_op, A, B> {
  return make_binary(multiply_op{}, {}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B> requires operands<A, B>
auto multiply(A&& a, B&& b, site at = site::here()) -> binary<multiply_op, A, B> {
  return make_binary(multiply_op{}, at, std::forward<A>(a), std::forward<B>(b));
}
/// x = x * y, in place where that is safe; y is read before anything is written.
template <updatable X, class Y, class K = kernels_here> requires operands<X, Y>
auto operator*=(X&& x, Y&& y) -> updated<X> {
  return update(x, x * std::forward<Y>(y));
}

}}  // namespace placement::v0_1
