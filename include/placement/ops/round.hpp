#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// The nearest whole number, element by element; a half goes to the even one, as in NumPy and
/// TensorFlow: round(2.5) is 2.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct round_op {
  static constexpr std::string_view name = "Round";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, index_t n) {
    detail::element_loops<T>::round(to, x, n);
  }
  template <real_or_pack V> PLACEMENT_ALWAYS_INLINE PLACEMENT_HD V operator()(V x) const noexcept {
    using std::nearbyint;
    return static_cast<V>(nearbyint(widened(x)));
  }
};
template <operand X> auto round(X&& x, site at = site::here()) -> unary<round_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
