#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/ops/wrap.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// |x|, element by element; integers wrap, so the lowest one stays negative.
/// Shape: unchanged.  Type: any arithmetic but bool.  Kernels: CPU, GPU (pattern map).
struct abs_op {
  static constexpr std::string_view name = "Abs";
  using pattern = map;
  template <wraps_or_rounds T> PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    if constexpr (real_number<T>) return static_cast<T>(std::fabs(widened(x)));
    else if constexpr (std::is_signed_v<T>) return x < 0 ? static_cast<T>(-as_unsigned(x)) : x;
    else return x;
  }
};
template <operand X> auto abs(X&& x, site at = site::here()) -> unary<abs_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
