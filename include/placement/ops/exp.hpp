#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/exp.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// e to the power x, element by element.
/// Shape: unchanged.  Type: floating point; complex.  Kernels: CPU, GPU (pattern map).
struct exp_op {
  static constexpr std::string_view name = "Exp";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 8;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::exp_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::exp(widened(x)));
  }
  template <class V> requires is_complex<V>
  V operator()(V x) const noexcept {
    return detail::complex_math<V>::exp(x);
  }

  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    return g * y;
  }
};
template <operand X> auto exp(X&& x, site at = site::here()) -> unary<exp_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
