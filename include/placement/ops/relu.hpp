#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/ops/wrap.hpp>

namespace placement { inline namespace v0_1 {

/// max(x, 0), element by element; NaN stays NaN.
/// Shape: unchanged.  Type: any arithmetic but bool.  Kernels: CPU, GPU (pattern map).
struct relu_op {
  static constexpr std::string_view name = "Relu";
  using pattern = map;
  static constexpr gemm_epilogue as_gemm_epilogue = gemm_epilogue::relu;
  template <wraps_or_rounds T> PLACEMENT_HD constexpr T operator()(T x) const noexcept {
    return x <= T{} ? T{} : x;
  }
};
template <operand X> auto relu(X&& x, site at = site::here()) -> unary<relu_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
