#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/ops/packs.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// The square root, element by element; NaN for a negative number.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct sqrt_op {
  static constexpr std::string_view name = "Sqrt";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V> [[gnu::always_inline]] PLACEMENT_HD V operator()(V x) const noexcept {
    using std::sqrt;
    return static_cast<V>(sqrt(widened(x)));
  }
};
template <operand X> auto sqrt(X&& x, site at = site::here()) -> unary<sqrt_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
