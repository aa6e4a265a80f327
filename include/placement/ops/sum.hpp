#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/kernels/axis.hpp>
#include <placement/ops/wrap.hpp>

#include <cstdint>

namespace placement::inline v0_1 {

/// The sum of all elements, or along one axis.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).  Type: integers
/// and bool sum to int64, which wraps; floating point to its own type, carried in double
/// (20,000,000 float ones are 20,000,000).  The sum of nothing is 0.
/// Kernels: CPU, GPU (pattern fold).  Cost: one pass; element-wise producers are fused into it.
template <class Where = detail::over_all> struct sum_op : Where {
  static constexpr std::string_view name = "Sum";
  using pattern = fold;

  template <class T> struct state {
    std::conditional_t<std::is_integral_v<T>, std::int64_t, double> sum{};
  };
  template <class T> PLACEMENT_HD static constexpr state<T> start() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    if constexpr (std::is_integral_v<T>)
      return {static_cast<std::int64_t>(as_unsigned(s.sum) + static_cast<std::uint64_t>(x))};
    else return {s.sum + static_cast<double>(x)};
  }
  template <class T> PLACEMENT_HD static constexpr state<T> merge(state<T> a, state<T> b) noexcept {
    if constexpr (std::is_integral_v<T>)
      return {static_cast<std::int64_t>(as_unsigned(a.sum) + as_unsigned(b.sum))};
    else return {a.sum + b.sum};
  }
  /// A few of them are added up in their own type, whose rounding it adds to.
  template <class T> requires std::is_floating_point_v<computed_in<T>>
  using brief = computed_in<T>;
  template <class T> static constexpr state<T> add(state<T> s, brief<T> few) noexcept {
    return {s.sum + static_cast<double>(few)};
  }
  template <class T> PLACEMENT_HD static constexpr auto finish(state<T> s, index_t) noexcept {
    if constexpr (std::is_integral_v<T>) return s.sum;
    else return static_cast<T>(s.sum);
  }
};
template <operand X> auto sum(X&& x, site at = site::here()) -> node<sum_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, fold_axis A>
auto sum(X&& x, A along_axis, site at = site::here()) -> node<sum_op<detail::along_t<A>>, X> {
  return {{{detail::kept_axis(along_axis)}}, at, std::forward<X>(x)};
}

}  // namespace placement::inline v0_1
