#pragma once

#include <placement/expr/operand.hpp>
#include <placement/expr/spread.hpp>
#include <placement/ops/wrap.hpp>
#include <placement/shape/axis.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {
/// The element type of a reduction's result: R where the program names it, else Own.
template <class R, class Own> using named_or = std::conditional_t<std::is_void_v<R>, Own, R>;

/// Can elements of type T be summed to R? Says what to write instead.
template <class R, class T> constexpr void check_sum() {
  static_assert(!std::is_same_v<R, bool>,
                "placement: a sum is a number. Write sum<int>(x), or any(x).");
  static_assert(
      is_complex<R> || !is_complex<T>,
      "placement: complex numbers do not sum to a real type. Write sum(real(x)) or sum(x).");
  static_assert(
      !std::is_integral_v<R> || std::is_integral_v<T>,
      "placement: floating-point elements do not sum to an integer type. Write sum<double>(x), or cast<int>(sum(x)).");
}
}  // namespace detail

/// The sum of all elements, or along one axis.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).  Type: integers
/// and bool sum to int64, uint64 to uint64, which wrap; floating point to its own type.  The sum of
/// nothing is 0.
/// Rounding: double is added in double, each of n additions rounding once at most. Of float and
/// 16-bit types up to 16 elements are added in float, and those sums in double:
/// |error| <= (5 eps + n 2^-53) sum |x_i|, eps = 2^-23 (20,000,000 float ones are 20,000,000);
/// 16-bit results are then rounded to their type. Where 16 elements add up to more than a float
/// holds, the result is infinite or NaN. sum<double>(x) has neither limit.
/// Kernels: CPU, GPU (pattern reduce).  Cost: one pass; element-wise producers are fused into it.
/// R: the result's element type, where it is another than by default.
template <class Where = detail::over_all, class R = void> struct sum_op : Where {
  static constexpr std::string_view name = "Sum";
  using pattern = reduce;

  template <class T> using carried = detail::carried_in<detail::named_or<R, T>>;
  template <class T>
  using result_type =
      detail::named_or<R, std::conditional_t<std::is_integral_v<T>, detail::integer_result<T>, T>>;

  template <class T> struct state {
    carried<T> sum{};
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    if constexpr (std::is_integral_v<carried<T>>)
      return {static_cast<std::int64_t>(as_unsigned(s.sum) + static_cast<std::uint64_t>(x))};
    else if constexpr (is_complex<carried<T>>)
      return {detail::complex_math<carried<T>>::add(s.sum, detail::to_carried<carried<T>>(x))};
    else return {s.sum + static_cast<double>(x)};
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    if constexpr (std::is_integral_v<carried<T>>)
      return {static_cast<std::int64_t>(as_unsigned(a.sum) + as_unsigned(b.sum))};
    else if constexpr (is_complex<carried<T>>)
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
  template <class T>
  PLACEMENT_HD static constexpr result_type<T> finalize(state<T> s, index_t) noexcept {
    if constexpr (is_complex<carried<T>>) return detail::to_carried<result_type<T>>(s.sum);
    else return static_cast<result_type<T>>(s.sum);
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&, auto const& x) const {
    using T = typename bare<decltype(x)>::value_type;
    if constexpr (std::is_same_v<T, typename bare<decltype(g)>::value_type>)
      return detail::spread<K>(*this, g, x);
    else return cast<T>(detail::spread<K>(*this, g, x));
  }
};
namespace detail {
/// The sum over the axes of another reduction.
template <class K, class Where, class X> auto sum_over(Where const& where, X const& x) {
  return expr<sum_op<Where>, K, node_operand_t<X const&>>{{where}, {}, x};
}
}  // namespace detail
template <operand X> auto sum(X&& x, site at = site::here()) -> node<sum_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto sum(X&& x, A along_axis, site at = site::here()) -> node<sum_op<detail::along_t<A>>, X> {
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}

/// `sum<double>(x)`: the sum as R, as by NumPy's dtype. To floating point every element is added in
/// double, on every device, and the sum is rounded to R once: |error| <= n 2^-53 sum |x_i| before
/// that. To an integer type it is added in int64 and wraps to R.
/// Type: any to floating point, also to a narrower one; integers and bool to integers.
template <element R, operand X>
auto sum(X&& x, site at = site::here()) -> node<sum_op<detail::over_all, R>, X> {
  detail::check_sum<R, typename bare<X>::value_type>();
  return {{}, at, std::forward<X>(x)};
}
template <element R, operand X, reduction_axis A>
auto sum(X&& x, A along_axis, site at = site::here()) -> node<sum_op<detail::along_t<A>, R>, X> {
  detail::check_sum<R, typename bare<X>::value_type>();
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
