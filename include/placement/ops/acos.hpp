#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/asin.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/negative.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/rsqrt.hpp>
#include <placement/ops/square.hpp>
#include <placement/ops/subtract.hpp>

namespace placement { inline namespace v0_1 {

/// The angle in radians whose cosine is x, from 0 to pi; NaN where |x| > 1.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct acos_op {
  static constexpr std::string_view name = "Acos";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 32;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::acos_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::acos(widened(x)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return -(g * rsqrt(1 - square(x)));
  }
};
template <operand X> auto acos(X&& x, site at = site::here()) -> unary<acos_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
