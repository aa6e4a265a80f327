#pragma once
/// Vector norms. placement.hpp does not include this header.

#include <placement/ops/abs.hpp>
#include <placement/ops/over_axes.hpp>
#include <placement/ops/sqrt.hpp>
#include <placement/ops/square.hpp>

namespace placement { inline namespace v0_1 {

/// The order of the maximum norm: `norm<norm_inf>(x)`.
inline constexpr int norm_inf = std::numeric_limits<int>::max();

namespace detail {
template <int Order, class X, class... A> auto norm_of(X&& x, A... axes) {
  using T = typename bare<X>::value_type;
  static_assert(real_number<T> || is_complex<T>,
                "placement: norm takes floating-point elements. Write norm(cast<double>(x)).");
  static_assert(Order == 1 || Order == 2 || Order == norm_inf,
                "placement: the order of a norm is 1, 2 or norm_inf.");
  if constexpr (is_complex<T> && Order == 2)
    return sqrt(sum(square(abs(std::forward<X>(x))), axes...));
  else if constexpr (Order == 1) return sum(abs(std::forward<X>(x)), axes...);
  else if constexpr (Order == 2) return sqrt(sum(square(std::forward<X>(x)), axes...));
  else return max(abs(std::forward<X>(x)), axes...);
}
}  // namespace detail

/// The norm of all elements, or along axes: `norm(x)`, `norm<1>(x, -1)`, `norm<norm_inf>(x, 0, 1)`.
/// Order 1: the sum of the absolute values. 2, the default: the root of the sum of the squares;
/// over two axes the Frobenius norm. norm_inf: the largest absolute value. As NumPy's
/// linalg.vector_norm.
/// Shape: that of sum.  Type: floating point, or complex to floating point. The squares are rounded
/// to it: those of floats above 1.8e19 are infinite, so cast first.
/// Throws: shape_error; norm_inf also for no elements.
/// Kernels: CPU, GPU: one, without temporaries.
template <int Order = 2, operand X, class K = kernels_here>
auto norm(X&& x, site at = site::here()) {
  return detail::norm_of<Order>(std::forward<X>(x), at);
}
template <int Order = 2, operand X, class A, class K = kernels_here>
requires(reduction_axis<A> || several_axes<A>)
auto norm(X&& x, A axes, site at = site::here()) {
  return detail::norm_of<Order>(std::forward<X>(x), axes, at);
}
template <int Order = 2, operand X, axis_number... I, class K = kernels_here>
requires(sizeof...(I) > 0)
auto norm(X&& x, located_axis first, I... more) {
  return detail::norm_of<Order>(std::forward<X>(x), detail::axes_of(first, more...), first.at);
}

}}  // namespace placement::v0_1
