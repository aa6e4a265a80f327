#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// x without its fraction, element by element: rounded toward zero.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct trunc_op {
  static constexpr std::string_view name = "Trunc";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, index_t n) {
    detail::element_loops<T>::trunc(to, x, n);
  }
  template <real_or_pack V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD V operator()(V x) const noexcept {
    using std::trunc;
    return static_cast<V>(trunc(widened(x)));
  }
};
template <operand X> auto trunc(X&& x, site at = site::here()) -> unary<trunc_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
