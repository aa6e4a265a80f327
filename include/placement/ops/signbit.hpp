#pragma once

#include <placement/expr/operand.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// Does x have a minus sign? Element by element, also of -0 and NaN.
/// Shape: unchanged.  Type: floating point to bool.  Kernels: CPU, GPU (pattern map).
struct signbit_op {
  static constexpr std::string_view name = "SignBit";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr auto operator()(V v) const noexcept {
    auto const x = widened(v);
    using W = std::remove_const_t<decltype(x)>;
    return math::with_sign(W(1), math::sign_of(x)) < W{};
  }
};
template <operand X> auto signbit(X&& x, site at = site::here()) -> unary<signbit_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
