#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/kernels/float16.hpp>
#include <placement/math/sin.hpp>

namespace placement::inline v0_1 {

/// The sine of x in radians, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct sin_op {
  static constexpr std::string_view name = "Sin";
  using pattern = map;
  static constexpr int steps = 32;
  template <real_number T>
  [[gnu::always_inline]] PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return static_cast<T>(math::sin(widened(x)));
  }
};
template <operand X> auto sin(X&& x, site at = site::here()) -> unary<sin_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}  // namespace placement::inline v0_1
