#pragma once

#include <placement/cpu/math_loops.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/logaddexp.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/packs.hpp>
#include <placement/ops/sigmoid.hpp>
#include <placement/ops/subtract.hpp>

namespace placement { inline namespace v0_1 {

/// log(exp(x) + exp(y)), element by element, where the exponentials may overflow, too.
/// Shape: broadcast.  Type: floating point, the same on both sides.
/// Kernels: CPU, GPU (pattern map).
struct logaddexp_op {
  static constexpr std::string_view name = "LogAddExp";
  using pattern = map;
  static constexpr bool takes_packs = true;
  static constexpr int cost_per_element = 32;
  template <class T> static constexpr detail::binary_loop<T> loop = detail::logaddexp_loop;
  template <real_or_pack V>
  PLACEMENT_ALWAYS_INLINE PLACEMENT_HD constexpr V operator()(V x, V y) const noexcept {
    return static_cast<V>(math::logaddexp(widened(x), widened(y)));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x, auto const& y) {
    if constexpr (I == 0) return g * sigmoid(x - y);
    else return g * sigmoid(y - x);
  }
};
template <class A, class B> requires operands<A, B>
auto logaddexp(A&& x, B&& y, site at = site::here()) -> binary<logaddexp_op, A, B> {
  return make_binary(logaddexp_op{}, at, std::forward<A>(x), std::forward<B>(y));
}

}}  // namespace placement::v0_1
