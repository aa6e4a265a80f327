#pragma once

#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The step: 0 where x is below 0, 1 above, `middle` at 0; NaN stays NaN. Element by element.
/// Shape: broadcast.  Type: floating point, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct heaviside_op {
  static constexpr std::string_view name = "Heaviside";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V middle) const noexcept {
    using T = simd::element_of<V>;
    V const one(static_cast<T>(1)),
        sides = simd::select(x > V{}, one, simd::select(x < V{}, V{}, x));
    return simd::select(x == V{}, middle, sides);
  }
};
template <class A, class B> requires operands<A, B>
auto heaviside(A&& x, B&& middle, site at = site::here()) -> binary<heaviside_op, A, B> {
  return make_binary(heaviside_op{}, at, std::forward<A>(x), std::forward<B>(middle));
}

}}  // namespace placement::v0_1
