#pragma once

#include <placement/expr/operand.hpp>
#include <placement/expr/spread.hpp>
#include <placement/ops/sum.hpp>
#include <placement/ops/wrap.hpp>
#include <placement/shape/axis.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {
template <class K, class Where, class X> auto prod_over(Where const& where, X const& x);
}  // namespace detail

/// The product of all elements, or along one axis.
/// Shape: [], or the operand's without the axis (keep_dim(axis): with extent 1).
/// Type: integers and bool multiply in int64, uint64 in uint64, which wrap; floating point in its
/// own type, carried in double.  The product of nothing is 1.
/// Kernels: CPU, GPU (pattern reduce).  Cost: one pass; element-wise producers are fused into it.
template <class Where = detail::over_all> struct prod_op : Where {
  static constexpr std::string_view name = "Prod";
  using pattern = reduce;

  template <class T> struct state {
    detail::carried_in<T> product = 1;
  };
  template <class T> PLACEMENT_HD static constexpr state<T> init() noexcept { return {}; }
  template <class T>
  PLACEMENT_HD static constexpr state<T> step(state<T> s, T x, index_t) noexcept {
    if constexpr (std::is_integral_v<T>)
      return {static_cast<std::int64_t>(as_unsigned(s.product) * static_cast<std::uint64_t>(x))};
    else if constexpr (is_complex<T>)
      return {detail::complex_math<detail::carried_in<T>>::multiply(
          s.product, detail::to_carried<detail::carried_in<T>>(x))};
    else return {s.product * static_cast<double>(x)};
  }
  template <class T>
  PLACEMENT_HD static constexpr state<T> combine(state<T> a, state<T> b) noexcept {
    if constexpr (std::is_integral_v<T>)
      return {static_cast<std::int64_t>(as_unsigned(a.product) * as_unsigned(b.product))};
    else if constexpr (is_complex<T>)
      return {detail::complex_math<detail::carried_in<T>>::multiply(a.product, b.product)};
    else return {a.product * b.product};
  }
  template <class T> requires real_number<T>
  static constexpr state<T> state_of_product(double product) noexcept {
    return {product};
  }
  template <class T> PLACEMENT_HD static constexpr auto finalize(state<T> s, index_t) noexcept {
    if constexpr (std::is_integral_v<T>) return static_cast<detail::integer_result<T>>(s.product);
    else return detail::to_carried<T>(s.product);
  }

  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const& y, auto const& x) const {
    using T = typename bare<decltype(g)>::value_type;
    auto const is_zero = x == 0;
    auto const others = where(is_zero, 1, x);
    auto const only_zero = cast<T>(detail::sum_over<K, Where>(*this, cast<T>(is_zero)) == 1);
    auto const product = detail::prod_over<K, Where>(*this, others) * only_zero;
    return detail::spread<K>(*this, g, x) * where(is_zero, detail::spread<K>(*this, product, x),
                                                  detail::spread<K>(*this, y, x) / others);
  }
};
namespace detail {
/// The product over the axes of another reduction.
template <class K, class Where, class X> auto prod_over(Where const& where, X const& x) {
  return expr<prod_op<Where>, K, node_operand_t<X const&>>{{where}, {}, x};
}
}  // namespace detail
template <operand X> auto prod(X&& x, site at = site::here()) -> node<prod_op<>, X> {
  return {{}, at, std::forward<X>(x)};
}
template <operand X, reduction_axis A>
auto prod(X&& x, A along_axis, site at = site::here()) -> node<prod_op<detail::along_t<A>>, X> {
  return {{{detail::as_axis(along_axis)}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
