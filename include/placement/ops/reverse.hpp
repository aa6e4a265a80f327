#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 {

/// The elements in the opposite order along one axis. A view: of memory it costs nothing.
/// Shape: unchanged.  Type: any.  Kernels: CPU, GPU (pattern view_op).  Throws: shape_error when
/// there is no such axis.
template <class Axis> struct reverse_op {
  static constexpr std::string_view name = "ReverseV2";
  using pattern = view_op;

  [[no_unique_address]] Axis axis;

  template <class X> constexpr X result(X const& x) const {
    static_cast<void>(detail::dimension_of<X::rank>(axis));
    return x;
  }
  template <std::size_t R, class X> constexpr layout<R> moved(layout<R> where, X const& x) const {
    std::size_t const d = detail::dimension_of<R>(axis);
    where.base += (x.at(d) - 1) * where.stride[d];
    where.stride[d] = -where.stride[d];
    return where;
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&...) const {
    return reverse(g, axis);
  }
};
/// `reverse(x, axis<0>)`, `reverse(x, -1)`.
template <operand X, axis_like A>
auto reverse(X&& x, A along, site at = site::here())
    -> node<reverse_op<decltype(detail::as_axis(A{}))>, X> {
  return {{detail::as_axis(along)}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
