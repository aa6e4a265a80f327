#pragma once
/// Medians and quantiles. placement.hpp does not include this header.

#include <placement/ops/over_axes.hpp>
#include <placement/ops/sort.hpp>
#include <placement/runtime/escape.hpp>

#include <algorithm>
#include <cmath>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The number that q of the sorted elements lie below, between the two nearest ones. Reorders them.
template <class T> double select_quantile(T* x, index_t n, double q) {
  for (index_t i = 0; i != n; ++i)
    if (x[i] != x[i]) return static_cast<double>(x[i]);
  double const at = q * static_cast<double>(n - 1);
  auto const below = static_cast<index_t>(at);
  std::nth_element(x, x + below, x + n);
  double const low = static_cast<double>(x[below]), part = at - static_cast<double>(below);
  if (part == 0) return low;
  double const high = static_cast<double>(*std::min_element(x + below + 1, x + n));
  return low == high ? low : low + (high - low) * part;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void no_quantile(double q) {
  throw invalid_argument("placement: there is no quantile " + text_of_number(q) +
                         ". Give a number from 0 to 1.");
}

}  // namespace detail

/// A quantile of all elements or along axes. R: the result's element type.
template <class Where, class R> struct quantile_op : Where {
  static constexpr std::string_view name = "Quantile";
  using pattern = custom;
  using order = ascending_t;
  using gpu_lowering = lowered::quantile;
  template <class T> static constexpr bool has_gpu_kernel = !std::is_same_v<T, bool>;
  using value_type = R;
  static constexpr bool needs_elements = true;

  double q = 0.5;

  template <class X> constexpr auto result(X const& x) const {
    detail::throw_if_nothing_reduced<Where>(name, *this, x);
    return Where::result(x);
  }
  /// The fibers whose quantiles are computed.
  struct fibers {
    index_t before, length, after;
  };
  template <class X> constexpr fibers fibers_of(X const& x) const {
    if constexpr (Where::reduces_all) {
      return {1, static_cast<index_t>(x.count()), 1};
    } else {
      std::size_t const d = Where::axis_of(x);
      auto const s = detail::sides_of(x, d);
      return {s.before, x.at(d), s.after};
    }
  }
  template <class T, class Y, class X>
  void operator()(dense_view<R, Y> out, dense_view<T const, X> in) const {
    auto const [before, n, after] = fibers_of(in.shape);
    detail::host_scratch<T> const scratch(n);
    T* const fiber = scratch.data();
    for (index_t b = 0; b != before; ++b)
      for (index_t j = 0; j != after; ++j) {
        T const* const first = in.data + b * n * after + j;
        for (index_t i = 0; i != n; ++i) fiber[i] = first[i * after];
        out[b * after + j] = static_cast<R>(detail::select_quantile(fiber, n, q));
      }
  }
};

namespace detail {
template <class X>
using quantile_type = std::conditional_t<std::is_integral_v<typename bare<X>::value_type>, double,
                                         typename bare<X>::value_type>;
template <class Where, class X>
quantile_op<Where, quantile_type<X>> make_quantile(Where where, double q) {
  if (!(q >= 0 && q <= 1)) no_quantile(q);
  return {where, q};
}
}  // namespace detail

/// The number that a part q of the elements lie below: `quantile(x, 0.9)`, `quantile(x, 0.25, 0)`,
/// `quantile(x, 0.5, 0, 2)`. Between two elements it is interpolated, as by NumPy's default; NaN
/// where there is a NaN.
/// Shape: that of sum.  Type: integers and bool in double; floating point in its own type.
/// Throws: invalid_argument unless 0 <= q <= 1; shape_error, also for no elements.
/// Kernels: CPU all types; GPU all but bool (pattern custom).  Cost: on the CPU linear on average,
/// and memory for a fiber; on a GPU a sort.
template <operand X>
auto quantile(X&& x, double q, site at = site::here())
    -> node<quantile_op<detail::over_all, detail::quantile_type<X>>, X> {
  return {detail::make_quantile<detail::over_all, X>({}, q), at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto quantile(X&& x, double q, A along_axis, site at = site::here())
    -> node<quantile_op<detail::along_t<A>, detail::quantile_type<X>>, X> {
  return {detail::make_quantile<detail::along_t<A>, X>({detail::as_axis(along_axis)}, q), at,
          std::forward<X>(x)};
}
template <operand X, several_axes A, class K = kernels_here>
auto quantile(X&& x, double q, A axes, site at = site::here())
    -> detail::reduced_over<quantile_op, X, A, K, detail::quantile_type<X>> {
  using made = detail::reduced_over<quantile_op, X, A, K, detail::quantile_type<X>>;
  auto const checked = detail::make_quantile<detail::over_all, X>({}, q);
  auto y = detail::reduce_over<made>(std::forward<X>(x), axes, at);
  y.op.q = checked.q;
  return y;
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto quantile(X&& x, double q, located_axis first, I... more)
    -> detail::reduced_over<quantile_op, X, detail::axes_of_t<I...>, K, detail::quantile_type<X>> {
  return quantile<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), q,
                                                 detail::axes_of(first, more...), first.at);
}

/// The middle of the sorted elements, or the mean of the two in the middle: quantile(x, 0.5).
template <operand X>
auto median(X&& x, site at = site::here())
    -> node<quantile_op<detail::over_all, detail::quantile_type<X>>, X> {
  return quantile(std::forward<X>(x), 0.5, at);
}
template <operand X, reduction_axis A>
auto median(X&& x, A along_axis, site at = site::here())
    -> node<quantile_op<detail::along_t<A>, detail::quantile_type<X>>, X> {
  return quantile(std::forward<X>(x), 0.5, along_axis, at);
}
template <operand X, several_axes A, class K = kernels_here>
auto median(X&& x, A axes, site at = site::here())
    -> detail::reduced_over<quantile_op, X, A, K, detail::quantile_type<X>> {
  return quantile<X, A, K>(std::forward<X>(x), 0.5, axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto median(X&& x, located_axis first, I... more)
    -> detail::reduced_over<quantile_op, X, detail::axes_of_t<I...>, K, detail::quantile_type<X>> {
  return quantile<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), 0.5,
                                                 detail::axes_of(first, more...), first.at);
}

}}  // namespace placement::v0_1
