#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/sigmoid.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// 1 / (1 + exp(-x)), element by element, computed from exp(-|x|), which never overflows.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct sigmoid_op {
  static constexpr std::string_view name = "Sigmoid";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 16;
  template <real_or_pack V>
  [[gnu::always_inline]] PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::sigmoid(widened(x)));
  }
};
template <operand X> auto sigmoid(X&& x, site at = site::here()) -> unary<sigmoid_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
