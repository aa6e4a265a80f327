#pragma once

#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

struct stop_gradient_op {
  static constexpr std::string_view name = "StopGradient";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <element_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return x;
  }
};
/// `stop_gradient(x)`: the value of x, as a constant for gradients.
template <operand X>
auto stop_gradient(X&& x, site at = site::here()) -> unary<stop_gradient_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
