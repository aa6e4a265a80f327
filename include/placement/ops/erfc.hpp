#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/erfc.hpp>
#include <placement/ops/exp.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/negative.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/square.hpp>

namespace placement { inline namespace v0_1 {

/// 1 - erf(x), element by element, exact for large x, too.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct erfc_op {
  static constexpr std::string_view name = "Erfc";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 48;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::erfc_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::erfc(widened(x)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    constexpr double minus_two_over_sqrt_pi = -1.1283791670955126;
    using T = typename bare<decltype(x)>::value_type;
    return g * exp(-square(x)) * static_cast<T>(minus_two_over_sqrt_pi);
  }
};
template <operand X> auto erfc(X&& x, site at = site::here()) -> unary<erfc_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
