#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/atan2.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/negative.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The angle of (x, y) in radians, from -pi to pi, with the special cases of the C standard.
/// Shape: broadcast.  Type: floating point, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct atan2_op {
  static constexpr std::string_view name = "Atan2";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 40;
  template <class T> static constexpr detail::binary_loop<T> loop = detail::atan2_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V y, V x) const noexcept {
    return static_cast<V>(math::atan2(widened(y), widened(x)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& y, auto const& x) {
    if constexpr (I == 0) return g * x / (x * x + y * y);
    else return -(g * y / (x * x + y * y));
  }
};
template <class A, class B> requires operands<A, B>
auto atan2(A&& y, B&& x, site at = site::here()) -> binary<atan2_op, A, B> {
  return make_binary(atan2_op{}, at, std::forward<A>(y), std::forward<B>(x));
}

}}  // namespace placement::v0_1
