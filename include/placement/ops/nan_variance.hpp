#pragma once
/// Variances that skip NaN: nanvar, nanstd. placement.hpp does not include this header.

#include <placement/ops/over_axes.hpp>

namespace placement { inline namespace v0_1 {

/// The mean squared distance from the mean of the elements that are not NaN: divided by how many
/// they are. NaN where all are NaN.
/// Shape, Type: those of variance.  Kernels: CPU, GPU (pattern reduce).  Cost: one pass.
/// Source: that of variance.
template <class Where = detail::over_all> struct nanvar_op : Where {
  static constexpr std::string_view name = "NanVariance";
  using pattern = reduce;

  template <class T> using state = typename variance_op<Where>::template state<T>;
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t i) noexcept {
    return x == x ? variance_op<Where>::step(s, x, i) : s;
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    return variance_op<Where>::combine(a, b);
  }
  template <class T> PLACEMENT_HD static constexpr auto finalize(state<T> s, index_t) noexcept {
    return static_cast<std::conditional_t<std::is_integral_v<T>, double, T>>(s.squares / s.n);
  }
};
/// The square root of nanvar.
/// Shape, Type, Kernels, Cost: those of nanvar.
template <class Where = detail::over_all> struct nanstd_op : nanvar_op<Where> {
  static constexpr std::string_view name = "NanStdDev";

  template <class State> PLACEMENT_HD static auto finalize(State s, index_t n) noexcept {
    auto const variance = nanvar_op<Where>::finalize(s, n);
    return static_cast<decltype(nanvar_op<Where>::finalize(s, n))>(std::sqrt(widened(variance)));
  }
};

template <operand X> auto nanvar(X&& x, site at = site::here()) -> node<nanvar_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto nanvar(X&& x, A along_axis, site at = site::here()) -> node<nanvar_op<detail::along_t<A>>, X> {
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}
template <operand X, several_axes A, class K = kernels_here>
auto nanvar(X&& x, A axes, site at = site::here()) -> detail::reduced_over<nanvar_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<nanvar_op, X, A, K>>(std::forward<X>(x), axes,
                                                                       at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto nanvar(X&& x, located_axis first, I... more)
    -> detail::reduced_over<nanvar_op, X, detail::axes_of_t<I...>, K> {
  return nanvar<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                               first.at);
}

template <operand X> auto nanstd(X&& x, site at = site::here()) -> node<nanstd_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto nanstd(X&& x, A along_axis, site at = site::here()) -> node<nanstd_op<detail::along_t<A>>, X> {
  return {{{{detail::as_axis(along_axis)}}}, at, std::forward<X>(x)};
}
template <operand X, several_axes A, class K = kernels_here>
auto nanstd(X&& x, A axes, site at = site::here()) -> detail::reduced_over<nanstd_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<nanstd_op, X, A, K>>(std::forward<X>(x), axes,
                                                                       at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto nanstd(X&& x, located_axis first, I... more)
    -> detail::reduced_over<nanstd_op, X, detail::axes_of_t<I...>, K> {
  return nanstd<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                               first.at);
}

}}  // namespace placement::v0_1
