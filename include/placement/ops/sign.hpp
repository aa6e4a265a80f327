#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/ops/wrap.hpp>

namespace placement { inline namespace v0_1 {

/// -1, 0 or 1, as x is below, at or above 0; NaN stays NaN. Element by element.
/// Shape: unchanged.  Type: any arithmetic but bool.  Kernels: CPU, GPU (pattern map).
struct sign_op {
  static constexpr std::string_view name = "Sign";
  using pattern = map;
  template <wraps_or_rounds T> PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    if constexpr (std::is_unsigned_v<T>) return T{x != 0};
    else return x > T{} ? T{1} : x < T{} ? T{-1} : x;  // 0, -0 and NaN are themselves
  }
};
template <operand X> auto sign(X&& x, site at = site::here()) -> unary<sign_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
