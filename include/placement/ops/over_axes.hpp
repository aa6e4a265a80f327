#pragma once
/// The reductions over several axes: `sum(x, 0, 2)`, `max(x, axis<0, -1>)`,
/// `mean(x, keep_dim(0, 1))`.
///
/// Shape: the operand's without these axes (keep_dim: with extents 1).  Type: that of the
/// reduction along one axis, and its rounding.
/// Throws: shape_error for an axis that does not exist or is named twice; a compile error for axes
/// in the type. Reductions without an identity also throw it for no elements.
/// Kernels: CPU, GPU: one, without temporaries.  Cost: one pass; element-wise producers are fused
/// into it. Adjacent axes cost as much as one. Others are read in runs of the last axes.

#include <placement/ops/all.hpp>
#include <placement/ops/any.hpp>
#include <placement/ops/count_nonzero.hpp>
#include <placement/ops/join_axes.hpp>
#include <placement/ops/max.hpp>
#include <placement/ops/mean.hpp>
#include <placement/ops/min.hpp>
#include <placement/ops/prod.hpp>
#include <placement/ops/std_dev.hpp>
#include <placement/ops/sum.hpp>
#include <placement/ops/variance.hpp>

namespace placement { inline namespace v0_1 {

template <operand X, several_axes A, class K = kernels_here>
auto sum(X&& x, A axes, site at = site::here()) -> detail::reduced_over<sum_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<sum_op, X, A, K>>(std::forward<X>(x), axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto sum(X&& x, located_axis first, I... more)
    -> detail::reduced_over<sum_op, X, detail::axes_of_t<I...>, K> {
  return sum<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                            first.at);
}

template <operand X, several_axes A, class K = kernels_here>
auto mean(X&& x, A axes, site at = site::here()) -> detail::reduced_over<mean_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<mean_op, X, A, K>>(std::forward<X>(x), axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto mean(X&& x, located_axis first, I... more)
    -> detail::reduced_over<mean_op, X, detail::axes_of_t<I...>, K> {
  return mean<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                             first.at);
}

template <operand X, several_axes A, class K = kernels_here>
auto prod(X&& x, A axes, site at = site::here()) -> detail::reduced_over<prod_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<prod_op, X, A, K>>(std::forward<X>(x), axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto prod(X&& x, located_axis first, I... more)
    -> detail::reduced_over<prod_op, X, detail::axes_of_t<I...>, K> {
  return prod<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                             first.at);
}

template <operand X, several_axes A, class K = kernels_here>
auto max(X&& x, A axes, site at = site::here()) -> detail::reduced_over<max_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<max_op, X, A, K>>(std::forward<X>(x), axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto max(X&& x, located_axis first, I... more)
    -> detail::reduced_over<max_op, X, detail::axes_of_t<I...>, K> {
  return max<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                            first.at);
}

template <operand X, several_axes A, class K = kernels_here>
auto min(X&& x, A axes, site at = site::here()) -> detail::reduced_over<min_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<min_op, X, A, K>>(std::forward<X>(x), axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto min(X&& x, located_axis first, I... more)
    -> detail::reduced_over<min_op, X, detail::axes_of_t<I...>, K> {
  return min<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                            first.at);
}

template <operand X, several_axes A, class K = kernels_here>
auto variance(X&& x, A axes, site at = site::here()) -> detail::reduced_over<variance_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<variance_op, X, A, K>>(std::forward<X>(x), axes,
                                                                         at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto variance(X&& x, located_axis first, I... more)
    -> detail::reduced_over<variance_op, X, detail::axes_of_t<I...>, K> {
  return variance<X, detail::axes_of_t<I...>, K>(std::forward<X>(x),
                                                 detail::axes_of(first, more...), first.at);
}

template <operand X, several_axes A, class K = kernels_here>
auto std_dev(X&& x, A axes, site at = site::here()) -> detail::reduced_over<std_dev_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<std_dev_op, X, A, K>>(std::forward<X>(x), axes,
                                                                        at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto std_dev(X&& x, located_axis first, I... more)
    -> detail::reduced_over<std_dev_op, X, detail::axes_of_t<I...>, K> {
  return std_dev<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                                first.at);
}

template <operand X, several_axes A, class K = kernels_here>
auto all(X&& x, A axes, site at = site::here()) -> detail::reduced_over<all_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<all_op, X, A, K>>(std::forward<X>(x), axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto all(X&& x, located_axis first, I... more)
    -> detail::reduced_over<all_op, X, detail::axes_of_t<I...>, K> {
  return all<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                            first.at);
}

template <operand X, several_axes A, class K = kernels_here>
auto any(X&& x, A axes, site at = site::here()) -> detail::reduced_over<any_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<any_op, X, A, K>>(std::forward<X>(x), axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto any(X&& x, located_axis first, I... more)
    -> detail::reduced_over<any_op, X, detail::axes_of_t<I...>, K> {
  return any<X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                            first.at);
}

template <operand X, several_axes A, class K = kernels_here>
auto count_nonzero(X&& x, A axes, site at = site::here())
    -> detail::reduced_over<count_nonzero_op, X, A, K> {
  return detail::reduce_over<detail::reduced_over<count_nonzero_op, X, A, K>>(std::forward<X>(x),
                                                                              axes, at);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto count_nonzero(X&& x, located_axis first, I... more)
    -> detail::reduced_over<count_nonzero_op, X, detail::axes_of_t<I...>, K> {
  return count_nonzero<X, detail::axes_of_t<I...>, K>(std::forward<X>(x),
                                                      detail::axes_of(first, more...), first.at);
}

/// `sum<double>(x, 0, 2)`: as R.
template <element R, operand X, several_axes A, class K = kernels_here>
auto sum(X&& x, A axes, site at = site::here()) -> detail::reduced_over<sum_op, X, A, K, R> {
  detail::check_sum<R, typename bare<X>::value_type>();
  return detail::reduce_over<detail::reduced_over<sum_op, X, A, K, R>>(std::forward<X>(x), axes,
                                                                       at);
}
template <element R, operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto sum(X&& x, located_axis first, I... more)
    -> detail::reduced_over<sum_op, X, detail::axes_of_t<I...>, K, R> {
  return sum<R, X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                               first.at);
}

/// `mean<double>(x, 0, 2)`: as R.
template <element R, operand X, several_axes A, class K = kernels_here>
auto mean(X&& x, A axes, site at = site::here()) -> detail::reduced_over<mean_op, X, A, K, R> {
  detail::check_mean<R>();
  return detail::reduce_over<detail::reduced_over<mean_op, X, A, K, R>>(std::forward<X>(x), axes,
                                                                        at);
}
template <element R, operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto mean(X&& x, located_axis first, I... more)
    -> detail::reduced_over<mean_op, X, detail::axes_of_t<I...>, K, R> {
  return mean<R, X, detail::axes_of_t<I...>, K>(std::forward<X>(x), detail::axes_of(first, more...),
                                                first.at);
}

}}  // namespace placement::v0_1
