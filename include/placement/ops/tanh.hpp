#pragma once

#include <placement/expr/evaluate.hpp>

#include <cmath>

namespace placement::inline v0_1 {

/// The hyperbolic tangent, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct tanh_op {
  static constexpr std::string_view name = "Tanh";
  using pattern = map;
  template <std::floating_point T> PLACEMENT_HD T operator()(T x) const noexcept {
    return std::tanh(x);
  }
};
template <operand X> auto tanh(X&& x, site at = site::here()) -> unary<tanh_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}  // namespace placement::inline v0_1
