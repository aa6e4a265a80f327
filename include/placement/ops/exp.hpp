#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/exp.hpp>
#include <placement/math/float16.hpp>

namespace placement { inline namespace v0_1 {

/// e to the power x, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct exp_op {
  static constexpr std::string_view name = "Exp";
  using pattern = map;
  static constexpr int cost_per_element = 8;
  template <real_number T>
  [[gnu::always_inline]] PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return static_cast<T>(math::exp(widened(x)));
  }
};
template <operand X> auto exp(X&& x, site at = site::here()) -> unary<exp_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
