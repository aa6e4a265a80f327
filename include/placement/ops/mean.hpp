#pragma once

#include <placement/expr/evaluate.hpp>
#include <placement/kernels/axis.hpp>
#include <placement/kernels/float16.hpp>

namespace placement::inline v0_1 {

/// The mean of all elements, or along one axis.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).
/// Type: integers and bool have a mean in double; floating point in its own type, summed in double.
/// The mean of nothing is NaN.
/// Kernels: CPU, GPU (pattern fold).  Cost: one pass; element-wise producers are fused into it.
template <class Where = detail::over_all> struct mean_op : Where {
  static constexpr std::string_view name = "Mean";
  using pattern = fold;

  template <class T> struct state {
    double sum{};
  };
  template <class T> PLACEMENT_HD static constexpr state<T> start() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    return {s.sum + static_cast<double>(x)};
  }
  template <class T> PLACEMENT_HD static constexpr state<T> merge(state<T> a, state<T> b) noexcept {
    return {a.sum + b.sum};
  }
  /// A few of them are added up in their own type, whose rounding it adds to.
  template <class T> requires std::is_floating_point_v<computed_in<T>>
  using brief = computed_in<T>;
  template <class T> static constexpr state<T> add(state<T> s, brief<T> few) noexcept {
    return {s.sum + static_cast<double>(few)};
  }
  template <class T> PLACEMENT_HD static constexpr auto finish(state<T> s, index_t n) noexcept {
    return static_cast<std::conditional_t<std::is_integral_v<T>, double, T>>(
        s.sum / static_cast<double>(n));
  }
};
template <operand X> auto mean(X&& x, site at = site::here()) -> node<mean_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, fold_axis A>
auto mean(X&& x, A along_axis, site at = site::here()) -> node<mean_op<detail::along_t<A>>, X> {
  return {{{detail::kept_axis(along_axis)}}, at, std::forward<X>(x)};
}

}  // namespace placement::inline v0_1
