#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/float16.hpp>
#include <placement/math/tanh.hpp>

namespace placement { inline namespace v0_1 {

/// The hyperbolic tangent, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct tanh_op {
  static constexpr std::string_view name = "Tanh";
  using pattern = map;
  static constexpr int cost_per_element = 16;
  template <real_number T>
  [[gnu::always_inline]] PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return static_cast<T>(math::tanh(widened(x)));
  }
};
template <operand X> auto tanh(X&& x, site at = site::here()) -> unary<tanh_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
