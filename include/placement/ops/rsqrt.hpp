#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/rsqrt.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// 1 / sqrt(x), element by element; inf for 0.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct rsqrt_op {
  static constexpr std::string_view name = "Rsqrt";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 6;
  template <real_or_pack V>
  [[gnu::always_inline]] PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::rsqrt(widened(x)));
  }
};
template <operand X> auto rsqrt(X&& x, site at = site::here()) -> unary<rsqrt_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
