#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/sinh.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The hyperbolic cosine, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct cosh_op {
  static constexpr std::string_view name = "Cosh";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 20;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::cosh_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::cosh(widened(x)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return g * sinh(x);
  }
};
template <operand X> auto cosh(X&& x, site at = site::here()) -> unary<cosh_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
