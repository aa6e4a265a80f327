#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/math/float16.hpp>
#include <placement/math/rsqrt.hpp>

namespace placement { inline namespace v0_1 {

/// 1 / sqrt(x), element by element; inf for 0.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct rsqrt_op {
  static constexpr std::string_view name = "Rsqrt";
  using pattern = map;
  static constexpr int cost_per_element = 6;
  template <real_number T>
  [[gnu::always_inline]] PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return static_cast<T>(math::rsqrt(widened(x)));
  }
};
template <operand X> auto rsqrt(X&& x, site at = site::here()) -> unary<rsqrt_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
