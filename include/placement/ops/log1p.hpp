#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/log1p.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// log(1 + x), element by element, exact for x near 0.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct log1p_op {
  static constexpr std::string_view name = "Log1p";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 16;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::log1p_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::log1p(widened(x)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return g / (x + 1);
  }
};
template <operand X> auto log1p(X&& x, site at = site::here()) -> unary<log1p_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
