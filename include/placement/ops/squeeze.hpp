#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void no_squeeze(std::size_t d,
                                                              std::string const& shape) {
  throw shape_error("placement: squeeze of axis " + std::to_string(d) + " of a tensor of shape " +
                    shape + ": its extent is not 1. Slice or reduce it instead.");
}
}  // namespace detail

/// Without one dimension, whose extent is 1. A view: of memory it costs nothing.
/// Shape: (m, 1, n) -> (m, n).  Type: any.  Kernels: CPU, GPU (pattern view_op).
/// Throws: shape_error when there is no such axis, or its extent is not 1.
template <class Axis> struct squeeze_op {
  static constexpr std::string_view name = "Squeeze";
  using pattern = view_op;
  static constexpr bool only_drops_dimension = true;

  [[no_unique_address]] Axis axis;

  template <class X> constexpr auto result(X const& x) const {
    static_assert(X::rank > 0, "placement: a scalar has no axis to squeeze.");
    if constexpr (!std::is_same_v<Axis, run_time_axis>) {
      constexpr index_t n = X::static_extent(detail::dimension_of<X::rank>(Axis{}));
      static_assert(n == 1 || n == dyn,
                    "placement: squeeze takes an axis of extent 1. Slice or reduce it instead.");
    }
    std::size_t const gone = detail::dimension_of<X::rank>(axis);
    if (x.at(gone) != 1) detail::no_squeeze(gone, to_string(x));
    return detail::without(x, axis);
  }
  template <std::size_t R, class X>
  constexpr layout<R - 1> moved(layout<R> const& where, X const&) const {
    std::size_t const gone = detail::dimension_of<R>(axis);
    layout<R - 1> m;
    m.base = where.base;
    for (std::size_t d = 0; d + 1 != R; ++d) m.stride[d] = where.stride[d < gone ? d : d + 1];
    return m;
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return reshape(g, x.shape());
  }
};
/// `squeeze(x, axis<0>)`, `squeeze(x, -1)`.
template <operand X, axis_like A>
auto squeeze(X&& x, A of_axis, site at = site::here())
    -> node<squeeze_op<decltype(detail::as_axis(A{}))>, X> {
  return {{detail::as_axis(of_axis)}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
