#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/float16.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// The largest whole number that is not above x, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct floor_op {
  static constexpr std::string_view name = "Floor";
  using pattern = map;
  template <real_number T> PLACEMENT_HD T operator()(T x) const noexcept {
    return static_cast<T>(std::floor(widened(x)));
  }
};
template <operand X> auto floor(X&& x, site at = site::here()) -> unary<floor_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
