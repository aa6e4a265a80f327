#pragma once

#include <placement/expr/operand.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 {

/// One more dimension, of extent 1, in front of the axis named. A view: of memory it costs nothing.
/// Shape: (m, n) -> (1, m, n), (m, 1, n) or (m, n, 1); the axis is one of the result: -1 adds
/// behind the last.
/// Type: any.  Kernels: CPU, GPU (pattern view_op).  Throws: shape_error when there is no such
/// axis.
template <class Axis> struct expand_dims_op {
  static constexpr std::string_view name = "ExpandDims";
  using pattern = view_op;
  static constexpr bool only_adds_dimension = true;

  [[no_unique_address]] Axis axis;

  template <class X> constexpr auto result(X const& x) const {
    constexpr std::size_t R = X::rank + 1;
    std::size_t const added = detail::dimension_of<R>(axis);
    auto from_operand = [&x, added](std::size_t d) {
      return d == added ? 1 : x.at(d < added ? d : d - 1);
    };
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      extents<static_extent<X>(D)...> y{};
      if constexpr (!decltype(y)::is_static) ((y.n[D] = from_operand(D)), ...);
      return y;
    }(std::make_index_sequence<R>{});
  }
  template <std::size_t R, class X>
  constexpr layout<R + 1> moved(layout<R> const& where, X const&) const {
    std::size_t const added = detail::dimension_of<R + 1>(axis);
    layout<R + 1> m;
    m.base = where.base;
    for (std::size_t d = 0; d != R + 1; ++d)
      m.stride[d] = d == added ? 0 : where.stride[d < added ? d : d - 1];
    return m;
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x) {
    return reshape(g, x.shape());
  }

 private:
  template <class X> static constexpr index_t static_extent(std::size_t d) {
    if constexpr (std::is_same_v<Axis, run_time_axis>) {
      return dyn;
    } else {
      constexpr std::size_t added = detail::dimension_of<X::rank + 1>(Axis{});
      return d == added ? 1 : X::static_extent(d > added ? d - 1 : d);
    }
  }
};
/// `expand_dims(x, axis<0>)`, `expand_dims(x, -1)`.
template <operand X, axis_like A>
auto expand_dims(X&& x, A at_axis, site at = site::here())
    -> node<expand_dims_op<decltype(detail::as_axis(A{}))>, X> {
  return {{detail::as_axis(at_axis)}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
