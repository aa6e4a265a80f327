#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/float16.hpp>
#include <placement/math/log.hpp>

namespace placement { inline namespace v0_1 {

/// The natural logarithm, element by element: log(0) is -inf, of a negative number NaN.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct log_op {
  static constexpr std::string_view name = "Log";
  using pattern = map;
  static constexpr int cost_per_element = 12;
  template <real_number T>
  [[gnu::always_inline]] PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return static_cast<T>(math::log(widened(x)));
  }
};
template <operand X> auto log(X&& x, site at = site::here()) -> unary<log_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
