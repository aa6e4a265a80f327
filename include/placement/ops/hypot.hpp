#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/hypot.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// sqrt(x^2 + y^2), element by element, where a square may overflow, too; inf beside an infinity.
/// Shape: broadcast.  Type: floating point, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct hypot_op {
  static constexpr std::string_view name = "Hypot";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 24;
  template <class T> static constexpr detail::binary_loop<T> loop = detail::hypot_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    return static_cast<V>(math::hypot(widened(x), widened(y)));
  }

  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& z, auto const& x, auto const& y) {
    if constexpr (I == 0) return g * (x / z);
    else return g * (y / z);
  }
};
template <class A, class B> requires operands<A, B>
auto hypot(A&& x, B&& y, site at = site::here()) -> binary<hypot_op, A, B> {
  return make_binary(hypot_op{}, at, std::forward<A>(x), std::forward<B>(y));
}

}}  // namespace placement::v0_1
