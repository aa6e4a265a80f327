#pragma once
/// The gradient of a view: the elements of the incoming gradient, each where the view read it.

#include <placement/expr/evaluate.hpp>
#include <placement/shape/strided_view.hpp>

namespace placement { inline namespace v0_1 {

/// Adds the elements of g at the positions that a view reads in an operand of shape X. Elements
/// that the view does not read are 0.
/// Type: floating point.  Kernels: CPU only (pattern custom).  Cost: one pass over X, one over g.
template <class View, class X> struct view_gradient_op {
  static constexpr std::string_view name = "StridedSliceGrad";
  using pattern = custom;
  using kernels = cpu_only;

  View view;
  X shape;

  template <class G> constexpr X result(G const&) const { return shape; }
  template <class T, class Y, class G>
  void operator()(dense_view<T, Y> out, dense_view<T const, G> g) const noexcept {
    for (index_t i = 0; i != out.size(); ++i) out[i] = T{};
    auto const at = view.moved(row_major(shape), shape);
    index_t const inner = G::rank == 0 ? 1 : g.shape.at(G::rank - 1);
    index_t const step = G::rank == 0 ? 0 : at.stride[G::rank - 1];
    index_t index[G::rank + 1]{};
    for (index_t done = 0; done != g.size(); done += inner) {
      index_t to = at.base;
      for (std::size_t d = 0; d + 1 < G::rank; ++d) to += index[d] * at.stride[d];
      for (index_t i = 0; i != inner; ++i)
        out.data[to + i * step] = static_cast<T>(out.data[to + i * step] + g[done + i]);
      for (std::size_t d = G::rank; d-- > 1;) {
        if (++index[d - 1] != g.shape.at(d - 1)) break;
        index[d - 1] = 0;
      }
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
