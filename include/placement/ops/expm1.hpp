#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/expm1.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// exp(x) - 1, element by element, exact for x near 0.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct expm1_op {
  static constexpr std::string_view name = "Expm1";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 12;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::expm1_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::expm1(widened(x)));
  }

  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    return g * (y + 1);
  }
};
template <operand X> auto expm1(X&& x, site at = site::here()) -> unary<expm1_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
