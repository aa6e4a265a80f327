#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/float16.hpp>

namespace placement { inline namespace v0_1 {

/// 1 / x, element by element; inf for 0.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct reciprocal_op {
  static constexpr std::string_view name = "Reciprocal";
  using pattern = map;
  template <real_number T> PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return T{1} / x;
  }
};
template <operand X> auto reciprocal(X&& x, site at = site::here()) -> unary<reciprocal_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
