#pragma once

#include <placement/ops/multiply.hpp>

namespace placement { inline namespace v0_1 {

/// x * x, element by element; integers wrap.
/// Shape: unchanged.  Type: any arithmetic but bool.  Kernels: CPU, GPU (pattern map).
struct square_op {
  static constexpr std::string_view name = "Square";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <detail::has_row_loops T> static void array_loop(T* to, T const* x, index_t n) {
    detail::row_loops<T>::multiply({to, 0, x, 0, false, x, 0, false, 1, n});
  }
  static constexpr bool is_arithmetic = true;
  static constexpr detail::block_form form = detail::block_form::product;
  template <number_or_complex V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return multiply_op{}(x, x);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return g * (x * 2);  // x is computed once
  }
};
template <operand X> auto square(X&& x, site at = site::here()) -> unary<square_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
