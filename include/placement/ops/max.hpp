#pragma once

#include <placement/expr/operand.hpp>
#include <placement/expr/spread.hpp>
#include <placement/math/float16.hpp>
#include <placement/ops/sum.hpp>
#include <placement/shape/axis.hpp>

#include <limits>

namespace placement { inline namespace v0_1 {

/// The largest element, or the largest along one axis; NaN where there is a NaN.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).  Type: any.
/// Throws: shape_error when nothing is reduced, at once and not on evaluation.
/// Kernels: CPU, GPU (pattern reduce).  Cost: one pass; element-wise producers are fused into it.
template <class Where = detail::over_all> struct max_op : Where {
  static constexpr std::string_view name = "Max";
  using pattern = reduce;
  static constexpr bool needs_elements = true;

  template <class X> constexpr auto result(X const& x) const {
    detail::throw_if_nothing_reduced<Where>(name, *this, x);
    return Where::result(x);
  }
  template <class T> struct state {
    static_assert(detail::check_not_complex<T>());
    T best = detail::below_all<T>();
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    return {x > s.best || x != x ? x : s.best};
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    return step(a, b.best, 0);
  }
  static constexpr bool selects_largest = true;
  template <class T> static constexpr T quick(T best, T x) noexcept { return best > x ? best : x; }
  template <class T> PLACEMENT_HD static constexpr T finalize(state<T> s, index_t) noexcept {
    return s.best;
  }

  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const& y, auto const& x) const {
    auto const is_best =
        cast<typename bare<decltype(g)>::value_type>(x == detail::spread<K>(*this, y, x));
    return is_best * detail::spread<K>(*this, g / detail::sum_over<K, Where>(*this, is_best), x);
  }
};
template <operand X> auto max(X&& x, site at = site::here()) -> node<max_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto max(X&& x, A along_axis, site at = site::here()) -> node<max_op<detail::along_t<A>>, X> {
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
