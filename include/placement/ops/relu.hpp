#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// max(x, 0), element by element; NaN stays NaN.
/// Shape: unchanged.  Type: any arithmetic but bool.  Kernels: CPU, GPU (pattern map).
struct relu_op {
  static constexpr std::string_view name = "Relu";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr gemm_epilogue as_gemm_epilogue = gemm_epilogue::relu;
  template <number_or_pack V>
  [[gnu::always_inline]] PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return simd::select(x <= V{}, V{}, x);
  }
};
template <operand X> auto relu(X&& x, site at = site::here()) -> unary<relu_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
