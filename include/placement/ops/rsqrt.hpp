#pragma once

#include <placement/cpu/element_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/rsqrt.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The gradient of rsqrt: -g y^3 / 2, where y is its result.
/// Shape: broadcast.  Type: floating point, the same for both.  Kernels: CPU, GPU (pattern map).
struct rsqrt_grad_op {
  static constexpr std::string_view name = "RsqrtGrad";
  using pattern = map;
  static constexpr bool takes_packs = true;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V g, V y) const noexcept {
    auto const wide = widened(y);
    using W = std::remove_const_t<decltype(wide)>;
    return static_cast<V>(widened(g) * (wide * wide * wide) *
                          W(static_cast<simd::element_of<W>>(-0.5)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& h, auto const&, [[maybe_unused]] auto const& g, auto const& y) {
    if constexpr (I == 0) return make_binary(rsqrt_grad_op{}, {}, h, y);
    else return h * g * (y * y) * static_cast<typename bare<decltype(y)>::value_type>(-1.5);
  }
};

/// 1 / sqrt(x), element by element; inf for 0.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct rsqrt_op {
  static constexpr std::string_view name = "Rsqrt";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 6;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::element_loops<T>::rsqrt;
  template <detail::has_element_loops T> static void array_loop(T* to, T const* x, index_t n) {
    detail::element_loops<T>::rsqrt(to, x, n);
  }
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::rsqrt(widened(x)));
  }

  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    return make_binary(rsqrt_grad_op{}, {}, g, y);
  }
};
template <operand X> auto rsqrt(X&& x, site at = site::here()) -> unary<rsqrt_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
