#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/sinh.hpp>
#include <placement/ops/cosh.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The hyperbolic sine, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct sinh_op {
  static constexpr std::string_view name = "Sinh";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 24;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::sinh_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::sinh(widened(x)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return g * cosh(x);
  }
};
template <operand X> auto sinh(X&& x, site at = site::here()) -> unary<sinh_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
