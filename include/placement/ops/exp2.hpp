#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/exp2.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// 2 to the power x, element by element; exact for whole x.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct exp2_op {
  static constexpr std::string_view name = "Exp2";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 12;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::exp2_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::exp2(widened(x)));
  }

  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    using T = typename bare<decltype(y)>::value_type;
    return g * y * static_cast<T>(0.693147180559945309);
  }
};
template <operand X> auto exp2(X&& x, site at = site::here()) -> unary<exp2_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
