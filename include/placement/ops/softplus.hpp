#pragma once

#include <placement/cpu/activation_loops.hpp>
#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/exp.hpp>
#include <placement/math/log1p.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// log(1 + exp(x)), element by element, computed as max(x, 0) + log1p(exp(-|x|)), which never
/// overflows.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct softplus_op {
  static constexpr std::string_view name = "Softplus";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 32;
  template <class T>
  static constexpr detail::unary_loop<T> loop = detail::activation_loops<T>::softplus;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V v) const noexcept {
    auto const x = widened(v);
    using W = std::remove_const_t<decltype(x)>;
    W const positive = simd::select(x <= W{}, W{}, x);
    return static_cast<V>(positive + math::log1p(math::exp(-math::magnitude(x))));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return g * sigmoid(x);
  }
};
template <operand X> auto softplus(X&& x, site at = site::here()) -> unary<softplus_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/activation_loops.ipp>
#endif
