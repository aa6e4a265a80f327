#pragma once

#include <placement/cpu/activation_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// x, or alpha x where x is negative; NaN stays NaN.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct leaky_relu_op {
  static constexpr std::string_view name = "LeakyRelu";
  using pattern = map;
  static constexpr bool takes_packs = true;

  double alpha;

  template <detail::has_element_loops T> void array_loop(T* to, T const* x, index_t n) const {
    detail::activation_loops<T>::leaky_relu(to, x, static_cast<T>(alpha), n);
  }

  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V v) const noexcept {
    auto const x = widened(v);
    using W = std::remove_const_t<decltype(x)>;
    W const slope(static_cast<computed_in<simd::element_of<V>>>(alpha));
    return static_cast<V>(simd::select(x < W{}, slope * x, x));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&, auto const& x) const {
    using T = typename bare<decltype(x)>::value_type;
    return where(x < T{}, g * static_cast<T>(alpha), g);
  }
};
template <operand X>
auto leaky_relu(X&& x, double alpha = 0.2, site at = site::here()) -> unary<leaky_relu_op, X> {
  return {{alpha}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/activation_loops.ipp>
#endif
