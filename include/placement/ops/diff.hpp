#pragma once
/// Differences of neighbours. placement.hpp does not include this header.

#include <placement/expr/operand.hpp>
#include <placement/ops/compare.hpp>
#include <placement/ops/reused.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/shape/axis.hpp>
#include <placement/shape/fiber.hpp>

namespace placement { inline namespace v0_1 {

/// All elements along an axis but the last, or but the first: `first` is 0 or 1.
/// Shape: the operand's, with an extent less by 1, or 0.  Type: any.  Kernels: CPU, GPU (pattern
/// view_op).
template <class Axis> struct neighbors_op {
  static constexpr std::string_view name = "StridedSlice";
  using pattern = view_op;

  [[no_unique_address]] Axis axis;
  index_t first;

  template <class X> constexpr auto result(X const& x) const {
    std::size_t const cut = detail::dimension_of<X::rank>(axis);
    return detail::make_shape<X::rank>(
        [](std::size_t d) {
          index_t const n = X::static_extent(d);
          if constexpr (std::is_same_v<Axis, run_time_axis>) return static_cast<void>(n), dyn;
          else return d == detail::dimension_of<X::rank>(Axis{}) && n > 0 ? n - 1 : n;
        },
        [&](std::size_t d) { return x.at(d) - (d == cut && x.at(d) != 0 ? 1 : 0); });
  }
  template <std::size_t R, class X> constexpr layout<R> moved(layout<R> where, X const&) const {
    where.base += first * where.stride[detail::dimension_of<R>(axis)];
    return where;
  }
};

/// The difference of each element along an axis and the one before it; the last axis unless said.
/// Of bools, whether they differ. `diff<2>(x)`: differences of differences.
/// Shape: the operand's, with an extent less by N, or 0; rank 1 or more.  Type: any; integers wrap.
/// Throws: shape_error when there is no such axis.
/// Kernels: CPU, GPU: one, without temporaries.  Cost: an expression is computed 2^N times: assign
/// it to a tensor first.
template <int N = 1, operand X, axis_like A = axis_t<-1>, class K = kernels_here>
auto diff(X&& x, A along = {}, site at = site::here()) {
  constexpr std::size_t rank = bare<X>::rank;
  static_assert(N > 0, "placement: diff takes differences once or more often.");
  static_assert(rank > 0, "placement: diff takes a vector or more. A scalar has no neighbours.");
  if constexpr (N > 1) {
    return diff<1, decltype(diff<N - 1, X, A, K>(std::forward<X>(x), along, at)), A, K>(
        diff<N - 1, X, A, K>(std::forward<X>(x), along, at), along, at);
  } else {
    using axis_type = decltype(detail::as_axis(along));
    auto part = [&](index_t first) {
      return expr<neighbors_op<axis_type>, K, node_operand_t<X>>({detail::as_axis(along), first},
                                                                 at, detail::reused<X>(x));
    };
    if constexpr (std::is_same_v<typename bare<X>::value_type, bool>)
      return not_equal(part(1), part(0), at);
    else return subtract(part(1), part(0), at);
  }
}

}}  // namespace placement::v0_1
