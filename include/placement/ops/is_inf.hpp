#pragma once

#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// Is x infinite, of either sign? Element by element.
/// Shape: unchanged.  Type: floating point to bool.  Kernels: CPU, GPU (pattern map).
struct is_inf_op {
  static constexpr std::string_view name = "IsInf";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(V x) const noexcept {
    return x - x != V{} && x == x;
  }
};
template <operand X> auto is_inf(X&& x, site at = site::here()) -> unary<is_inf_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
