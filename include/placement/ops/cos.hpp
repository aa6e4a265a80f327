#pragma once

#include <placement/expr/evaluate.hpp>

#include <cmath>

namespace placement::inline v0_1 {

/// The cosine of x in radians, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct cos_op {
  static constexpr std::string_view name = "Cos";
  using pattern = map;
  template <std::floating_point T> PLACEMENT_HD T operator()(T x) const noexcept {
    return std::cos(x);
  }
};
template <operand X> auto cos(X&& x, site at = site::here()) -> unary<cos_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}  // namespace placement::inline v0_1
