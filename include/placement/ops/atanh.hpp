#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/asinh.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/square.hpp>
#include <placement/ops/subtract.hpp>

namespace placement { inline namespace v0_1 {

/// The inverse of tanh, element by element: infinite at -1 and 1, NaN beyond.
/// Shape: unchanged.  Type: floating point.  Kernels: CPU, GPU (pattern map).
struct atanh_op {
  static constexpr std::string_view name = "Atanh";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 32;
  template <class T> static constexpr detail::unary_loop<T> loop = detail::atanh_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x) const noexcept {
    return static_cast<V>(math::atanh(widened(x)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return g / (1 - square(x));
  }
};
template <operand X> auto atanh(X&& x, site at = site::here()) -> unary<atanh_op, X> {
  return {{}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
