#pragma once

#include <placement/expr/operand.hpp>
#include <placement/expr/spread.hpp>
#include <placement/ops/sum.hpp>
#include <placement/shape/axis.hpp>

namespace placement { inline namespace v0_1 {

/// The mean squared distance from the mean, of all elements or along one axis: divided by n,
/// not by n - 1.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).
/// Type: integers and bool have one in double; floating point in its own type, carried in double.
/// Rounding: floats are subtracted from a number near the mean in float, and eight of the squares
/// added in float. That is within 12 eps of the variance, eps = 2^-23.
/// The variance of nothing is NaN.
/// Kernels: CPU, GPU (pattern reduce).  Cost: one pass; element-wise producers are fused into it.
/// Source: Welford 1962; merging two parts: Chan, Golub, LeVeque 1979.
template <class Where = detail::over_all> struct variance_op : Where {
  static constexpr std::string_view name = "Variance";
  using pattern = reduce;

  template <class T> struct state {
    static_assert(detail::check_not_complex<T>());
    double n = 0, mean = 0, squares = 0;
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    double const n = s.n + 1, away = static_cast<double>(x) - s.mean, mean = s.mean + away / n;
    return {n, mean, s.squares + away * (static_cast<double>(x) - mean)};
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    double const n = a.n + b.n, away = b.mean - a.mean;
    return {n, a.mean + away * (b.n / n), a.squares + b.squares + away * away * (a.n * b.n / n)};
  }
  /// Some elements by sums of how far they are from a number near their mean, and of the squares.
  /// The number is the mean of m of the n elements, so that at most n / m times the rounding is
  /// left.
  template <class T> struct around {
    PLACEMENT_HD static constexpr state<T> state_of(double center, double away, double squares,
                                                    index_t n) noexcept {
      double const mean = away / static_cast<double>(n), left = squares - away * mean;
      return {static_cast<double>(n), center + mean, left < 0 ? 0 : left};
    }
  };
  template <class T> PLACEMENT_HD static constexpr auto finalize(state<T> s, index_t n) noexcept {
    return static_cast<std::conditional_t<std::is_integral_v<T>, double, T>>(
        s.squares / static_cast<double>(n));
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const& y, auto const& x) const {
    using T = typename bare<decltype(g)>::value_type;
    auto const n = static_cast<double>(x.shape().count()) / static_cast<double>(y.shape().count());
    auto const mean = detail::sum_over<K, Where>(*this, x) * static_cast<T>(1 / n);
    return (x - detail::spread<K>(*this, mean, x)) * detail::spread<K>(*this, g, x) *
           static_cast<T>(2 / n);
  }
};
template <operand X> auto variance(X&& x, site at = site::here()) -> node<variance_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto variance(X&& x, A along_axis, site at = site::here())
    -> node<variance_op<detail::along_t<A>>, X> {
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
