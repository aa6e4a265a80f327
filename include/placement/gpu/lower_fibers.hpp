#pragma once
/// GPU kernels of ops along one dimension: sorts and scans.

#include <placement/gpu/scan.hpp>
#include <placement/gpu/sort.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/shape/axis.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// lowering_of<Name>::run(grid, op, out, in...) runs a custom op on a GPU.
template <class Name> struct lowering_of;
template <> struct lowering_of<lowered::sort> {
  template <class Grid, class Op, class Out, class T, class X>
  static void run(Grid const& grid, Op const& op, Out const& out,
                  dense_view<T const, X> const& in) {
    using Order = typename Op::order;
    sort_along<sorted_element<T, Order>>(grid, out, in, dimension_of<X::rank>(op.axis));
  }
};
template <> struct lowering_of<lowered::argsort> {
  template <class Grid, class Op, class Out, class T, class X>
  static void run(Grid const& grid, Op const& op, Out const& out,
                  dense_view<T const, X> const& in) {
    using Order = typename Op::order;
    sort_along<sorted_origin<T, Order>>(grid, out, in, dimension_of<X::rank>(op.axis));
  }
};
template <> struct lowering_of<lowered::cumsum> {
  template <class Grid, class Op, class Out, class From, class X>
  static void run(Grid const& grid, Op const& op, Out const& out,
                  dense_view<From const, X> const& in) {
    scan_along(grid, out, in, dimension_of<X::rank>(op.axis));
  }
};
template <> struct lowering_of<lowered::cumulative> {
  template <class Grid, class Op, class Out, class From, class X>
  static void run(Grid const& grid, Op const& op, Out const& out,
                  dense_view<From const, X> const& in) {
    scan_along<typename Op::rule>(grid, out, in, dimension_of<X::rank>(op.axis));
  }
};

}}}  // namespace placement::v0_1::detail
