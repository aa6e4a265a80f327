#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// 1 / x, element by element; inf for 0.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct reciprocal_op {
  static constexpr std::string_view name = "Reciprocal";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V>
  [[gnu::always_inline]] PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return V(simd::element_of<V>{1}) / x;
  }
};
template <operand X> auto reciprocal(X&& x, site at = site::here()) -> unary<reciprocal_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
