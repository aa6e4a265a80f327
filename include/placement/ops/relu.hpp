#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/product_engine.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The gradient of relu: g where y > 0, else 0, where y is its result.
/// Shape: broadcast.  Type: floating point, the same for both.  Kernels: CPU, GPU (pattern map).
struct relu_grad_op {
  static constexpr std::string_view name = "ReluGrad";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V g, V y) const noexcept {
    return simd::select(y > V{}, g, V{});
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& h, auto const&, [[maybe_unused]] auto const& g, auto const& y) {
    if constexpr (I == 0) return make_binary(relu_grad_op{}, {}, h, y);
    else return zero_gradient{};
  }
};

/// max(x, 0), element by element; NaN stays NaN.
/// Shape: unchanged.  Type: any arithmetic but bool.  Kernels: CPU, GPU (pattern map).
struct relu_op {
  static constexpr std::string_view name = "Relu";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, index_t n) {
    detail::element_loops<T>::relu(to, x, n);
  }
  static constexpr gemm_epilogue as_gemm_epilogue = gemm_epilogue::relu;
  template <number_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return simd::select(x <= V{}, V{}, x);
  }

  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    return make_binary(relu_grad_op{}, {}, g, y);
  }
};
template <operand X> auto relu(X&& x, site at = site::here()) -> unary<relu_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
