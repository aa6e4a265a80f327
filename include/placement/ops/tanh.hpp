#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/tanh.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The hyperbolic tangent, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct tanh_op {
  static constexpr std::string_view name = "Tanh";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 16;
  template <real_or_pack V>
  [[gnu::always_inline]] PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::tanh(widened(x)));
  }
};
template <operand X> auto tanh(X&& x, site at = site::here()) -> unary<tanh_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
