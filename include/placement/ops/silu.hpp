#pragma once

#include <placement/cpu/activation_loops.hpp>
#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/sigmoid.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// x sigmoid(x), element by element: SiLU, also called swish. 0 for -inf.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct silu_op {
  static constexpr std::string_view name = "Silu";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 16;
  template <class T>
  static constexpr detail::unary_loop<T> loop = detail::activation_loops<T>::silu;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V v) const noexcept {
    auto const x = widened(v);
    using W = std::remove_const_t<decltype(x)>;
    W const s = math::sigmoid(x);
    return static_cast<V>(simd::select(s == W{}, W{}, x * s));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    auto const s = sigmoid(x);
    return g * (s * (x * (1 - s) + 1));
  }
};
template <operand X> auto silu(X&& x, site at = site::here()) -> unary<silu_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/activation_loops.ipp>
#endif
