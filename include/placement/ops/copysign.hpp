#pragma once

#include <placement/expr/operand.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/sign.hpp>
#include <placement/ops/where.hpp>

namespace placement { inline namespace v0_1 {

/// The size of x with the sign of y, element by element: also of zeros, infinities and NaN.
/// Shape: broadcast.  Type: floating point, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct copysign_op {
  static constexpr std::string_view name = "CopySign";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    return static_cast<V>(math::with_sign(math::magnitude(widened(x)), math::sign_of(widened(y))));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x, auto const& y) {
    if constexpr (I == 0) return g * (sign(x) * make_binary(copysign_op{}, {}, 1, y));
    else return where(x < x, g, 0);  // none
  }
};
template <class A, class B> requires operands<A, B>
auto copysign(A&& x, B&& y, site at = site::here()) -> binary<copysign_op, A, B> {
  return make_binary(copysign_op{}, at, std::forward<A>(x), std::forward<B>(y));
}

}}  // namespace placement::v0_1
