#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/log_to_base.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The logarithm to base 2, element by element: -inf for 0, NaN below. Exact for powers of two.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct log2_op {
  static constexpr std::string_view name = "Log2";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 16;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::log2_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::log2(widened(x)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    using T = typename bare<decltype(x)>::value_type;
    return g / x * static_cast<T>(1.44269504088896341);
  }
};
template <operand X> auto log2(X&& x, site at = site::here()) -> unary<log2_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
