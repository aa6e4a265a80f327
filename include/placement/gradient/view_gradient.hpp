#pragma once
/// The gradient of a view: the elements of the incoming gradient, each where the view read it.

#include <placement/expr/evaluate.hpp>
#include <placement/ops/box_op.hpp>
#include <placement/shape/strided_view.hpp>

#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 {

/// The elements of g at the positions that a view reads in an operand of shape X, and 0 elsewhere.
/// Type: floating point.  Kernels: CPU, GPU (pattern custom).  Cost: one pass over X, one over g.
template <class View, class X> struct view_gradient_op : detail::box_op<view_gradient_op<View, X>> {
  static constexpr std::string_view name = "StridedSliceGrad";

  View view;
  X shape;

  view_gradient_op(View v, X const& x) : view(std::move(v)), shape(x) {}

  template <class G> constexpr X result(G const&) const { return shape; }
  template <class T, class Y, class G, class Boxes>
  void each_box(dense_view<T, Y> const& out, dense_view<T const, G> const& g,
                Boxes const& f) const {
    dextents<1> const all{{out.size()}};
    f.fill(out.data, row_major(all), T{}, all);
    auto const at = view.moved(row_major(shape), shape);
    if constexpr (G::rank == 0) {
      layout<1> to{};
      to.base = at.base;
      f.copy(out.data, to, g.data, layout<1>{}, dextents<1>{{1}});
    } else {
      f.copy(out.data, at, g.data, row_major(g.shape), detail::values_of(g.shape));
    }
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& h, auto const&...) const {
    return expr<View, K, typename detail::node_operand<decltype(h)>::type>{view, {}, h};
  }
};

namespace detail {
/// The gradient of the operand of view e, as an expression.
template <class E, class G> auto view_gradient(E const& e, G const& g) {
  using X = typename operand_type<E, 0>::extents_type;
  using View = typename E::op_type;
  return expr<view_gradient_op<View, X>, typename E::kernels, node_operand_t<G const&>>{
      {e.op, e.template arg<0>().shape()}, e.from.where, g};
}
}  // namespace detail

}}  // namespace placement::v0_1
