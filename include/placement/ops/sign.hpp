#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// -1, 0 or 1, as x is below, at or above 0; NaN stays NaN. Element by element.
/// Shape: unchanged.  Type: any arithmetic but bool.  Kernels: CPU, GPU (pattern map).
struct sign_op {
  static constexpr std::string_view name = "Sign";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, index_t n) {
    detail::element_loops<T>::sign(to, x, n);
  }
  template <number_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    using T = simd::element_of<V>;
    if constexpr (std::is_unsigned_v<T>) return simd::select(x != V{}, V(T{1}), V{});
    else return simd::select(x > V{}, V(T{1}), simd::select(x < V{}, V(T{-1}), x));  // 0, -0, NaN
  }
};
template <operand X> auto sign(X&& x, site at = site::here()) -> unary<sign_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
