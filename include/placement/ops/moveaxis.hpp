#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The operand's dimension that becomes dimension d, where `from` moves to `to`.
constexpr std::size_t moved_from_dimension(std::size_t d, std::size_t from, std::size_t to) {
  if (d == to) return from;
  std::size_t const other = d < to ? d : d - 1;  // among those that are not moved
  return other < from ? other : other + 1;
}
/// The same, where a and b are exchanged.
constexpr std::size_t swapped_dimension(std::size_t d, std::size_t a, std::size_t b) {
  return d == a ? b : d == b ? a : d;
}

namespace no_adl {
/// A view whose dimension d is dimension Origin(d, a, b) of the operand.
template <auto Origin, class A, class B> struct reordered_axes {
  static constexpr std::string_view name = "Transpose";
  using pattern = view_op;

  [[no_unique_address]] A a;
  [[no_unique_address]] B b;

  template <class X> constexpr auto result(X const& x) const {
    constexpr std::size_t R = X::rank;
    std::size_t const from = dimension_of<R>(a), to = dimension_of<R>(b);
    return make_shape<R>(
        [](std::size_t d) {
          if constexpr (std::is_same_v<A, run_time_axis> || std::is_same_v<B, run_time_axis>)
            return static_cast<void>(d), dyn;
          else return X::static_extent(Origin(d, dimension_of<R>(A{}), dimension_of<R>(B{})));
        },
        [&](std::size_t d) { return x.at(Origin(d, from, to)); });
  }
  template <std::size_t R, class X>
  constexpr layout<R> moved(layout<R> const& where, X const&) const {
    std::size_t const from = dimension_of<R>(a), to = dimension_of<R>(b);
    layout<R> m = where;
    for (std::size_t d = 0; d != R; ++d) m.stride[d] = where.stride[Origin(d, from, to)];
    return m;
  }
};
}  // namespace no_adl
using no_adl::reordered_axes;

}  // namespace detail

/// One axis moved to another position; the others keep their order. A view: of memory it costs
/// nothing.
/// Shape: (l, m, n) -> (m, n, l) for axis 0 to -1.  Type: any.
/// Kernels: CPU, GPU (pattern view_op).  Throws: shape_error for an axis that does not exist.
template <class From, class To>
struct moveaxis_op : detail::reordered_axes<&detail::moved_from_dimension, From, To> {};
/// `moveaxis(x, 0, -1)`, `moveaxis(x, axis<0>, axis<-1>)`.
template <operand X, axis_like A, axis_like B>
auto moveaxis(X&& x, A from, B to, site at = site::here())
    -> node<moveaxis_op<decltype(detail::as_axis(from)), decltype(detail::as_axis(to))>, X> {
  return {{{detail::as_axis(from), detail::as_axis(to)}}, at, std::forward<X>(x)};
}

/// Two axes exchanged. A view: of memory it costs nothing.
/// Shape: (l, m, n) -> (n, m, l) for axes 0 and 2.  Type: any.
/// Kernels: CPU, GPU (pattern view_op).  Throws: shape_error for an axis that does not exist.
template <class A, class B>
struct swapaxes_op : detail::reordered_axes<&detail::swapped_dimension, A, B> {};
/// `swapaxes(x, 0, 2)`, `swapaxes(x, axis<0>, axis<2>)`.
template <operand X, axis_like A, axis_like B>
auto swapaxes(X&& x, A a, B b, site at = site::here())
    -> node<swapaxes_op<decltype(detail::as_axis(a)), decltype(detail::as_axis(b))>, X> {
  return {{{detail::as_axis(a), detail::as_axis(b)}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
