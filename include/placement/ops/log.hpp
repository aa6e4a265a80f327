#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/log.hpp>
#include <placement/ops/packs.hpp>

namespace placement { inline namespace v0_1 {

/// The natural logarithm, element by element: log(0) is -inf, of a negative number NaN.
/// Shape: unchanged.  Type: floating point; complex.  Kernels: CPU, GPU (pattern map).
struct log_op {
  static constexpr std::string_view name = "Log";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 12;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::log_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::log(widened(x)));
  }
  template <class V> requires is_complex<V>
  V operator()(V x) const noexcept {
    return detail::complex_math<V>::log(x);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return g / x;
  }
};
template <operand X> auto log(X&& x, site at = site::here()) -> unary<log_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
