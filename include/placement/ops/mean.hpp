#pragma once

#include <placement/expr/operand.hpp>
#include <placement/expr/spread.hpp>
#include <placement/math/float16.hpp>
#include <placement/ops/sum.hpp>
#include <placement/shape/axis.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
/// A type of which sums are carried as a mean needs them: integers in double.
template <class R, class T>
using mean_sum = std::conditional_t<is_complex<T> || !is_complex<R>,
                                    std::conditional_t<is_complex<T>, T, double>, R>;
}  // namespace detail

/// The mean of all elements, or along one axis.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).
/// Type: integers and bool have a mean in double; floating point in its own type.  The mean of
/// nothing is NaN.
/// Rounding: integers are summed in double, others as by sum: |error| <= (5 eps + n 2^-53) / n
/// times sum |x_i| for float, eps = 2^-23, and the same limit of what 16 elements add up to.
/// mean<double>(x) has neither.
/// Kernels: CPU, GPU (pattern reduce).  Cost: one pass; element-wise producers are fused into it.
/// R: the result's element type, where it is another than by default.
template <class Where = detail::over_all, class R = void> struct mean_op : Where {
  static constexpr std::string_view name = "Mean";
  using pattern = reduce;

  template <class T> using carried = detail::carried_in<detail::mean_sum<R, T>>;

  template <class T> struct state {
    carried<T> sum{};
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    if constexpr (is_complex<carried<T>>)
      return {detail::complex_math<carried<T>>::add(s.sum, detail::to_carried<carried<T>>(x))};
    else return {s.sum + static_cast<double>(x)};
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    if constexpr (is_complex<carried<T>>)
      return {detail::complex_math<carried<T>>::add(a.sum, b.sum)};
    else return {a.sum + b.sum};
  }
  /// Short runs are added in the element type, whose rounding adds to the error. Not where the
  /// program names the result's type.
  template <class T> requires(std::is_void_v<R> && std::is_floating_point_v<computed_in<T>>)
  using partial_type = computed_in<T>;
  template <class T>
  PLACEMENT_HD static constexpr state<T> add(state<T> s, partial_type<T> partial) noexcept {
    return {s.sum + static_cast<double>(partial)};
  }
  template <class T> requires(std::is_void_v<R> && real_number<T>)
  static constexpr state<T> state_of_sum(double sum) noexcept {
    return {sum};
  }
  template <class T> PLACEMENT_HD static constexpr auto finalize(state<T> s, index_t n) noexcept {
    using own = std::conditional_t<std::is_integral_v<T>, double, T>;
    if constexpr (is_complex<carried<T>>)
      return detail::to_carried<detail::named_or<R, own>>(
          detail::complex_math<carried<T>>::over(s.sum, static_cast<double>(n)));
    else return static_cast<detail::named_or<R, own>>(s.sum / static_cast<double>(n));
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const& y, auto const& x) const {
    using T = typename bare<decltype(g)>::value_type;
    auto const n = static_cast<double>(x.shape().count()) / static_cast<double>(y.shape().count());
    auto part = detail::spread<K>(*this, g, x) * static_cast<T>(1 / n);
    using U = typename bare<decltype(x)>::value_type;
    if constexpr (std::is_same_v<T, U>) return part;
    else return cast<U>(part);
  }
};
template <operand X> auto mean(X&& x, site at = site::here()) -> node<mean_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto mean(X&& x, A along_axis, site at = site::here()) -> node<mean_op<detail::along_t<A>>, X> {
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}

namespace detail {
/// Can a mean have element type R? Says what to write instead.
template <class R> constexpr void check_mean() {
  static_assert(real_number<R> || is_complex<R>,
                "placement: a mean is of floating point. Write mean<double>(x).");
}
}  // namespace detail

/// `mean<double>(x)`: the mean as R, as by NumPy's dtype: every element is added in double, on
/// every device, and the mean is rounded to R once.  Type: any to floating point.
template <element R, operand X>
auto mean(X&& x, site at = site::here()) -> node<mean_op<detail::over_all, R>, X> {
  detail::check_mean<R>();
  return {{}, at, std::forward<X>(x)};
}
template <element R, operand X, reduction_axis A>
auto mean(X&& x, A along_axis, site at = site::here()) -> node<mean_op<detail::along_t<A>, R>, X> {
  detail::check_mean<R>();
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
