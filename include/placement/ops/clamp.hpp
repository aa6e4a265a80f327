#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/ops/maximum.hpp>
#include <placement/ops/minimum.hpp>

namespace placement { inline namespace v0_1 {

/// min(max(x, low), high), element by element; NaN if any of them is NaN, and high where low is
/// above it.
/// Shape: broadcast.  Type: any arithmetic but bool, the same for all three.
/// Kernels: CPU, GPU (pattern map).
struct clamp_op {
  static constexpr std::string_view name = "ClipByValue";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <detail::has_element_loops T>
  static void array_loop(T* to, T const* x, T low, T high, index_t n) {
    detail::element_loops<T>::clamp(to, x, low, high, n);
  }
  template <number_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V low, V high) const noexcept {
    return minimum_op{}(maximum_op{}(x, low), high);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x, auto const& low,
                       auto const& high) {
    if constexpr (I == 0) return where(x < low || x > high, 0, g);
    else if constexpr (I == 1) return where(x < low, g, 0);
    else return where(x > high, g, 0);
  }
};
template <operand X, class Low, class High> requires operands<X, Low> && operands<X, High>
auto clamp(X&& x, Low&& low, High&& high, site at = site::here())
    -> expr<clamp_op, kernels_here, node_operand_t<X>, stored_t<Low, X>, stored_t<High, X>> {
  return {{},
          at,
          std::forward<X>(x),
          store<stored_t<Low, X>>(std::forward<Low>(low)),
          store<stored_t<High, X>>(std::forward<High>(high))};
}

}}  // namespace placement::v0_1
