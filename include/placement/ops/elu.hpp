#pragma once

#include <placement/cpu/activation_loops.hpp>
#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/expm1.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// x, or alpha (exp(x) - 1) where x is negative.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
/// Source: Clevert, Unterthiner, Hochreiter: Fast and Accurate Deep Network Learning by Exponential
/// Linear Units (2015).
struct elu_op {
  static constexpr std::string_view name = "Elu";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 16;

  double alpha;

  template <detail::has_element_loops T> void own_loop(T* to, T const* x, index_t n) const {
    detail::activation_loops<T>::elu(to, x, static_cast<T>(alpha), n);
  }

  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V v) const noexcept {
    auto const x = widened(v);
    using W = std::remove_const_t<decltype(x)>;
    W const slope(static_cast<computed_in<simd::element_of<V>>>(alpha));
    return static_cast<V>(simd::select(x < W{}, slope * math::expm1(x), x));
  }

  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const& y, auto const& x) const {
    using T = typename bare<decltype(x)>::value_type;
    return where(x < T{}, g * (y + static_cast<T>(alpha)), g);
  }
};
template <operand X> auto elu(X&& x, double alpha = 1, site at = site::here()) -> unary<elu_op, X> {
  return {{alpha}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/activation_loops.ipp>
#endif
