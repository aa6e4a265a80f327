#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/tanh.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The gradient of tanh: g (1 - y^2), where y is its result.
/// Shape: broadcast.  Type: floating point, the same for both.  Kernels: CPU, GPU (pattern map).
struct tanh_grad_op {
  static constexpr std::string_view name = "TanhGrad";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V g, V y) const noexcept {
    auto const wide = widened(y);
    using W = std::remove_const_t<decltype(wide)>;
    return static_cast<V>(widened(g) * (W(simd::element_of<W>{1}) - wide * wide));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& h, auto const&, [[maybe_unused]] auto const& g, auto const& y) {
    if constexpr (I == 0) return make_binary(tanh_grad_op{}, {}, h, y);
    else return h * g * (y * -2);
  }
};

/// The hyperbolic tangent, element by element.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct tanh_op {
  static constexpr std::string_view name = "Tanh";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 16;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::tanh_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::tanh(widened(x)));
  }

  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    return make_binary(tanh_grad_op{}, {}, g, y);
  }
};
template <operand X> auto tanh(X&& x, site at = site::here()) -> unary<tanh_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
