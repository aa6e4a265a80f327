#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/cbrt.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/square.hpp>

namespace placement { inline namespace v0_1 {

/// The cube root, element by element, also of negative numbers.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct cbrt_op {
  static constexpr std::string_view name = "Cbrt";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 32;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::cbrt_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::cbrt(widened(x)));
  }

  using pullback_reads = reads_result;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const& y, auto const&) {
    return g / (square(y) * 3);
  }
};
template <operand X> auto cbrt(X&& x, site at = site::here()) -> unary<cbrt_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
