#pragma once

#include <placement/expr/evaluate.hpp>

#include <cmath>

namespace placement::inline v0_1 {

/// The error function, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct erf_op {
  static constexpr std::string_view name = "Erf";
  using pattern = map;
  template <std::floating_point T> PLACEMENT_HD T operator()(T x) const noexcept {
    return std::erf(x);
  }
};
template <operand X> auto erf(X&& x, site at = site::here()) -> unary<erf_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}  // namespace placement::inline v0_1
