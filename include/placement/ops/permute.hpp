#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

namespace no_adl {
/// An order of dimensions, in the type or in the value.
template <int... D> struct static_order {
  static constexpr std::size_t size = sizeof...(D);
  static constexpr bool is_static = true;
  static constexpr int at[sizeof...(D)] = {D...};
};
template <std::size_t R> struct run_time_order {
  static constexpr std::size_t size = R;
  static constexpr bool is_static = false;
  int at[R]{};
};
}  // namespace no_adl
using no_adl::run_time_order;
using no_adl::static_order;

/// Is each dimension named exactly once?
template <class Order> constexpr bool is_permutation(Order const& order) {
  unsigned seen = 0;
  for (int d : order.at)
    if (int const R = static_cast<int>(Order::size); d >= -R && d < R)
      seen |= 1u << (d < 0 ? d + R : d);
  return seen == (1u << Order::size) - 1;
}
template <class Order> constexpr std::size_t dimension_at(Order const& order, std::size_t d) {
  return dimension_of<Order::size>(run_time_axis{order.at[d]});
}

[[noreturn, gnu::cold, gnu::noinline]] inline void no_permutation(int const* order,
                                                                  std::size_t rank) {
  std::string axes;
  for (std::size_t d = 0; d != rank; ++d) axes += (d == 0 ? "" : ", ") + std::to_string(order[d]);
  throw shape_error("placement: permute by " + axes + " of a tensor of rank " +
                    std::to_string(rank) +
                    ", which takes each of its axes once. Axes are 0 to rank - 1, or -1 for the "
                    "last.");
}

}  // namespace detail

/// Dimension d of the result is dimension order[d] of the operand. A view: of memory it costs
/// nothing.
/// Shape: permuted; static extents stay static where the order is.  Type: any.
/// Kernels: CPU, GPU (pattern view_op).  Throws: shape_error unless each axis is named once.
template <class Order> struct permute_op {
  static constexpr std::string_view name = "Transpose";
  using pattern = view_op;

  [[no_unique_address]] Order order;

  template <class X> constexpr auto result(X const& x) const {
    static_assert(Order::size == X::rank,
                  "placement: permute takes one axis for each dimension. Check the rank.");
    if constexpr (Order::is_static) {
      static_assert(
          detail::is_permutation(Order{}),
          "placement: permute takes each axis once. Axes are 0 to rank - 1, or -1 for the last.");
      return [&]<std::size_t... D>(std::index_sequence<D...>) {
        extents<X::static_extent(detail::dimension_at(Order{}, D))...> y{};
        if constexpr (!decltype(y)::is_static)
          ((y.n[D] = x.at(detail::dimension_at(Order{}, D))), ...);
        return y;
      }(std::make_index_sequence<X::rank>{});
    } else {
      if (!detail::is_permutation(order)) detail::no_permutation(order.at, X::rank);
      dextents<X::rank> y;
      for (std::size_t d = 0; d != X::rank; ++d) y.n[d] = x.at(detail::dimension_at(order, d));
      return y;
    }
  }
  template <std::size_t R, class X>
  constexpr layout<R> moved(layout<R> const& where, X const&) const {
    layout<R> m = where;
    for (std::size_t d = 0; d != R; ++d) m.stride[d] = where.stride[detail::dimension_at(order, d)];
    return m;
  }
};
/// `permute<2, 0, 1>(x)`: the order in the type.
template <int... D, operand X> requires(sizeof...(D) > 0)
auto permute(X&& x, site at = site::here()) -> node<permute_op<detail::static_order<D...>>, X> {
  return {{}, at, std::forward<X>(x)};
}
/// `permute(x, 2, 0, 1)`: the order as values.
template <operand X, std::same_as<int>... D> requires(sizeof...(D) > 0)
auto permute(X&& x, D... order) -> node<permute_op<detail::run_time_order<sizeof...(D)>>, X> {
  return {{{{order...}}}, {}, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
