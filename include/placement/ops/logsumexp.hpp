#pragma once
/// The logarithm of a sum of exponentials. placement.hpp does not include this header.

#include <placement/ops/add.hpp>
#include <placement/ops/exp.hpp>
#include <placement/ops/is_finite.hpp>
#include <placement/ops/log.hpp>
#include <placement/ops/over_axes.hpp>
#include <placement/ops/reused.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/ops/where.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The axes with extent 1, for the maximum that is subtracted.
template <reduction_axis A> constexpr auto kept_axes(A a) {
  if constexpr (keeps_dim<A>) return a;
  else return keep_dim_t<decltype(as_axis(a))>{as_axis(a)};
}
template <several_axes A> constexpr auto kept_axes(A a) {
  if constexpr (keeps_dim_of_axes<A>) return a;
  else return keep_dims_t<A>{a};
}
/// x where it is finite, else 0: infinity - infinity would be NaN.
template <class X> auto finite_or_zero(X&& x, site at) {
  typename bare<X>::value_type const zero{};
  return where(is_finite(reused<X>(x), at), reused<X>(x), zero, at);
}
/// maximum_of: the maximum that is subtracted, which broadcasts over x.
template <class X, class Kept, class... A>
auto logsumexp_of(X&& x, Kept const& maximum_of, site at, A... axes) {
  static_assert(real_number<typename bare<X>::value_type>,
                "placement: logsumexp takes floating-point elements. Write cast<double>(x).");
  return add(
      log(sum(exp(subtract(reused<X>(x), finite_or_zero(maximum_of(reused<X>(x)), at), at), at),
              axes..., at),
          at),
      finite_or_zero(max(reused<X>(x), axes..., at), at), at);
}
}  // namespace detail

/// log(sum(exp(x))) of all elements, or along axes, without overflow: `logsumexp(x, -1)`.
/// Shape: that of sum.  Type: floating point.
/// Throws: shape_error, also for no elements.
/// Kernels: CPU, GPU.  Cost: three reductions, two of them maxima. An expression is computed in
/// each: assign it to a tensor first.
template <operand X, class K = kernels_here> auto logsumexp(X&& x, site at = site::here()) {
  auto const largest = [at](auto&& y) { return max(std::forward<decltype(y)>(y), at); };
  return detail::logsumexp_of(std::forward<X>(x), largest, at);
}
template <operand X, class A, class K = kernels_here> requires(reduction_axis<A> || several_axes<A>)
auto logsumexp(X&& x, A axes, site at = site::here()) {
  auto const largest = [at, axes](auto&& y) {
    return max(std::forward<decltype(y)>(y), detail::kept_axes(axes), at);
  };
  return detail::logsumexp_of(std::forward<X>(x), largest, at, axes);
}
template <operand X, axis_number... I, class K = kernels_here> requires(sizeof...(I) > 0)
auto logsumexp(X&& x, located_axis first, I... more) {
  return logsumexp<X, detail::axes_of_t<I...>, K>(std::forward<X>(x),
                                                  detail::axes_of(first, more...), first.at);
}

}}  // namespace placement::v0_1
