#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The smaller of x and y, element by element; NaN if either is NaN.
/// Shape: broadcast.  Type: any arithmetic but bool, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct minimum_op {
  static constexpr std::string_view name = "Minimum";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <detail::has_element_loops T>
  static void array_loop(T* to, T const* x, T const* y, index_t n) {
    detail::element_loops<T>::minimum(to, x, y, n);
  }
  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, T y, index_t n) {
    detail::element_loops<T>::minimum(to, x, y, n);
  }
  template <number_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    return simd::select(y < x || y != y, y, x);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& a, auto const& b) {
    if constexpr (I == 0) return where(a <= b, g, 0);
    else return where(a <= b, 0, g);
  }
};
template <class A, class B> requires operands<A, B>
auto minimum(A&& a, B&& b, site at = site::here()) -> binary<minimum_op, A, B> {
  return make_binary(minimum_op{}, at, std::forward<A>(a), std::forward<B>(b));
}

}}  // namespace placement::v0_1
