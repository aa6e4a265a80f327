#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

/// How many elements are not zero, of all or along one axis. NaN is not zero.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).
/// Type: any -> int64.
/// Kernels: CPU, GPU (pattern reduce).
/// Cost: one pass; element-wise producers are fused into it: `count_nonzero(x > y)`.
template <class Where = detail::over_all> struct count_nonzero_op : Where {
  static constexpr std::string_view name = "CountNonzero";
  using pattern = reduce;

  template <class T> struct state {
    std::int64_t count = 0;
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    return {s.count + (x != T{} ? 1 : 0)};
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    return {a.count + b.count};
  }
  template <class T>
  PLACEMENT_HD static constexpr std::int64_t finalize(state<T> s, index_t) noexcept {
    return s.count;
  }
};
template <operand X>
auto count_nonzero(X&& x, site at = site::here()) -> node<count_nonzero_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto count_nonzero(X&& x, A along_axis, site at = site::here())
    -> node<count_nonzero_op<detail::along_t<A>>, X> {
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
