#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/ops/wrap.hpp>
#include <placement/shape/axis.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

/// The product of all elements, or along one axis.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).
/// Type: integers and bool multiply in int64, which wraps; floating point in its own type, carried
/// in double.  The product of nothing is 1.
/// Kernels: CPU, GPU (pattern reduce).  Cost: one pass; element-wise producers are fused into it.
template <class Where = detail::over_all> struct prod_op : Where {
  static constexpr std::string_view name = "Prod";
  using pattern = reduce;

  template <class T> struct state {
    std::conditional_t<std::is_integral_v<T>, std::int64_t, double> product = 1;
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    if constexpr (std::is_integral_v<T>)
      return {static_cast<std::int64_t>(as_unsigned(s.product) * static_cast<std::uint64_t>(x))};
    else return {s.product * static_cast<double>(x)};
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    if constexpr (std::is_integral_v<T>)
      return {static_cast<std::int64_t>(as_unsigned(a.product) * as_unsigned(b.product))};
    else return {a.product * b.product};
  }
  template <class T> PLACEMENT_HD static constexpr auto finalize(state<T> s, index_t) noexcept {
    if constexpr (std::is_integral_v<T>) return s.product;
    else return static_cast<T>(s.product);
  }
};
template <operand X> auto prod(X&& x, site at = site::here()) -> node<prod_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto prod(X&& x, A along_axis, site at = site::here()) -> node<prod_op<detail::along_t<A>>, X> {
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
