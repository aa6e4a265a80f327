#pragma once

#include <placement/ops/variance.hpp>

#include <cmath>

namespace placement { inline namespace v0_1 {

/// The square root of the variance, of all elements or along one axis (divided by n, not by n - 1).
/// Shape, Type, Kernels, Cost: those of variance.
template <class Where = detail::over_all> struct std_dev_op : variance_op<Where> {
  static constexpr std::string_view name = "StdDev";

  template <class State> PLACEMENT_HD static auto finalize(State s, index_t n) noexcept {
    auto const variance = variance_op<Where>::finalize(s, n);
    return static_cast<decltype(variance_op<Where>::finalize(s, n))>(std::sqrt(widened(variance)));
  }

  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const& y, auto const& x) const {
    return static_cast<variance_op<Where> const&>(*this).template pullback<I, K>(g / (y + y), y, x);
  }
};
template <operand X> auto std_dev(X&& x, site at = site::here()) -> node<std_dev_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto std_dev(X&& x, A along_axis, site at = site::here())
    -> node<std_dev_op<detail::along_t<A>>, X> {
  return {{{{detail::as_axis(along_axis)}}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
