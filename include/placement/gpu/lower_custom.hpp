#pragma once
/// GPU kernels of the library's ops that have their own loop.

#include <placement/gpu/concat.hpp>
#include <placement/gpu/gather.hpp>
#include <placement/gpu/scan.hpp>
#include <placement/gpu/softmax.hpp>
#include <placement/gpu/sort.hpp>
#include <placement/shape/axis.hpp>

namespace placement { inline namespace v0_1 {

struct softmax_op;
struct log_softmax_op;
struct add_n_list_op;
template <class Axis> struct concat_op;
template <class Axis> struct stack_op;
template <class Axis> struct gather_op;
template <class T, class Depth> struct one_hot_op;
template <class Axis, class Order> struct sort_op;
template <class Axis, class Order> struct argsort_op;
template <class T, class Axis> struct cumsum_op;

namespace detail {

/// lowering<Op>::run(grid, op, out, in...) runs an op on a GPU. `exists` is false for ops without a
/// GPU kernel.
template <class Op> struct lowering {
  static constexpr bool exists = false;
};
template <> struct lowering<softmax_op> {
  static constexpr bool exists = true;
  template <class Grid, class Op, class Out, class In>
  static void run(Grid const& grid, Op const&, Out const& out, In const& in) {
    softmax_rows<softmax_result>(grid, out, in);
  }
};
template <> struct lowering<log_softmax_op> {
  static constexpr bool exists = true;
  template <class Grid, class Op, class Out, class In>
  static void run(Grid const& grid, Op const&, Out const& out, In const& in) {
    softmax_rows<log_softmax_result>(grid, out, in);
  }
};
template <> struct lowering<add_n_list_op> {
  static constexpr bool exists = true;
  template <class Grid, class Op, class Out, class In>
  static void run(Grid const& grid, Op const&, Out const& out, In const& in) {
    add_views(grid, out, in);
  }
};
template <class Axis> struct lowering<concat_op<Axis>> {
  static constexpr bool exists = true;
  template <class Grid, class Op, class T, class Y, class... In>
  static void run(Grid const& grid, Op const& op, dense_view<T, Y> const& out, In const&... in) {
    std::size_t const axis = dimension_of<Y::rank>(op.axis);
    auto const chunk = [axis](auto const& view, index_t after) {
      return view.shape.at(axis) * after;
    };
    join_along(grid, out, axis, chunk, in...);
  }
};
template <class Axis> struct lowering<stack_op<Axis>> {
  static constexpr bool exists = true;
  template <class Grid, class Op, class T, class Y, class... In>
  static void run(Grid const& grid, Op const& op, dense_view<T, Y> const& out, In const&... in) {
    auto const chunk = [](auto const&, index_t after) { return after; };
    join_along(grid, out, dimension_of<Y::rank>(op.axis), chunk, in...);
  }
};
template <class Axis> struct lowering<gather_op<Axis>> {
  static constexpr bool exists = true;
  template <class Grid, class Op, class Out, class T, class X, class Indices>
  static void run(Grid const& grid, Op const& op, Out const& out, dense_view<T, X> const& x,
                  Indices const& indices) {
    gather_slices(grid, out, x, indices, dimension_of<X::rank>(op.axis));
  }
};
template <class T, class Depth> struct lowering<one_hot_op<T, Depth>> {
  static constexpr bool exists = true;
  template <class Grid, class Op, class Out, class In>
  static void run(Grid const& grid, Op const& op, Out const& out, In const& in) {
    one_hot_of(grid, out, in, op.depth.at(0), op.on, op.off);
  }
};
template <class Axis, class Order> struct lowering<sort_op<Axis, Order>> {
  static constexpr bool exists = true;
  template <class Grid, class Op, class Out, class T, class X>
  static void run(Grid const& grid, Op const& op, Out const& out,
                  dense_view<T const, X> const& in) {
    sort_along<sorted_element<T, Order>>(grid, out, in, dimension_of<X::rank>(op.axis));
  }
};
template <class Axis, class Order> struct lowering<argsort_op<Axis, Order>> {
  static constexpr bool exists = true;
  template <class Grid, class Op, class Out, class T, class X>
  static void run(Grid const& grid, Op const& op, Out const& out,
                  dense_view<T const, X> const& in) {
    sort_along<sorted_origin<T, Order>>(grid, out, in, dimension_of<X::rank>(op.axis));
  }
};
template <class T, class Axis> struct lowering<cumsum_op<T, Axis>> {
  static constexpr bool exists = true;
  template <class Grid, class Op, class Out, class From, class X>
  static void run(Grid const& grid, Op const& op, Out const& out,
                  dense_view<From const, X> const& in) {
    scan_along(grid, out, in, dimension_of<X::rank>(op.axis));
  }
};

}  // namespace detail
}}  // namespace placement::v0_1
