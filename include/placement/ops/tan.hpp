#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/tan.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/square.hpp>

namespace placement { inline namespace v0_1 {

/// The tangent of x in radians, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct tan_op {
  static constexpr std::string_view name = "Tan";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 40;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::tan_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::tan(widened(x)));
  }

  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    return g * (square(y) + 1);
  }
};
template <operand X> auto tan(X&& x, site at = site::here()) -> unary<tan_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
