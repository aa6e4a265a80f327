#pragma once
/// Lists the operands of a kernel in an operand table, by its type. The factors of a product are
/// memory of any layout, without a copy.

#include <placement/expr/fused_operands.hpp>
#include <placement/expr/reads.hpp>
#include <placement/expr/slot_expr.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Lists the operands below node x of a fusion group, in the order of their slots.
template <fused_nodes N, class X> void list_operands(X const& x, fused_operands& to);

/// Lists an operand outside of the fusion group.
template <fused_nodes N, class X>
void list_leaf(X const& x, fused_operands& to, any_shape const& as) {
  if constexpr (stored<X>) {
    to.add(x, as);
  } else {
    collect_reads<N>(to.collected, x, true, to.are_views);
    to.add_computed(sizeof(typename X::value_type), as);
  }
}
/// Lists a view. list_child(child, to): lists its operand.
template <class X, class ListChild>
void list_view(X const& x, fused_operands& to, ListChild const& list_child) {
  auto const& child = x.template arg<0>();
  auto const shape = child.shape();
  auto const frame = to.table.begin_view(shape);
  list_child(child, to);
  to.table.change_layouts(frame, [&](table_level& l) {
    using C = bare<decltype(shape)>;
    layout<C::rank> given;
    given.base = l.layout.base;
    for (std::size_t d = 0; d != C::rank; ++d) given.stride[d] = l.stride[d];
    auto const moved = x.op.moved(given, shape);
    l.layout.base = moved.base;
    l.layout.rank = moved.rank;
    for (std::size_t d = 0; d != moved.rank; ++d) l.stride[d] = moved.stride[d];
    any_shape const view = x.shape_;
    l.view_rank = view.rank;
    l.view_extent = view.extent;
  });
  to.table.end_view(frame, x.shape_);
}
template <fused_nodes N, class X> void list_reshape(X const& x, fused_operands& to) {
  auto const& child = x.template arg<0>();
  if constexpr (joins<bare<decltype(child)>, N>) {
    auto const shape = child.shape();
    auto const frame = to.table.begin_reshape(x.shape_, shape);
    list_operands<N>(child, to);
    to.table.end_reshape(frame);
  } else {
    list_leaf<N>(child, to, x.shape_);
  }
}
template <fused_nodes N, class X, std::size_t... I>
void list_operands_of(X const& x, fused_operands& to, std::index_sequence<I...>) {
  (list_operands<N>(x.template arg<I>(), to), ...);
}
template <fused_nodes N, class X> void list_operands(X const& x, fused_operands& to) {
  if constexpr (is_scalar<X>) {
    return;
  } else if constexpr (!joins<X, N>) {
    auto const shape = x.shape();
    list_leaf<N>(x, to, shape);
  } else if constexpr (has_pattern<typename X::op_type, view_op>) {
    bool const above = to.are_views;
    to.are_views = true;
    if constexpr (relayout<X>)
      list_view(x, to, [](auto const& c, fused_operands& t) { list_operands<N>(c, t); });
    else list_reshape<N>(x, to);
    to.are_views = above;
  } else if constexpr (has_pattern<typename X::op_type, fill>) {
    to.table.add_generator(x.shape_);
  } else {
    list_operands_of<N>(x, to, std::make_index_sequence<X::arity>{});
  }
}

// ---- operands that are kernels of their own

/// Gives the operands below node x their addresses, from operand k on. to.bring(k, x): for memory;
/// to.compute(k, x): for the result of a kernel.
template <fused_nodes N, class X, class To>
void compute_operands(X const& x, unsigned& k, To const& to);
template <fused_nodes N, class X, class To, std::size_t... I>
void compute_operands_below(X const& x, unsigned& k, To const& to, std::index_sequence<I...>) {
  (compute_operands<N>(x.template arg<I>(), k, to), ...);
}
template <fused_nodes N, class X, class To>
void compute_operands(X const& x, unsigned& k, To const& to) {
  if constexpr (is_scalar<X>) {
    return;
  } else if constexpr (!joins<X, N>) {
    if constexpr (stored<X>) to.bring(k++, x);
    else to.compute(k++, x);
  } else if constexpr (has_pattern<typename X::op_type, fill>) {
    ++k;
  } else {
    compute_operands_below<N>(x, k, to, std::make_index_sequence<X::arity>{});
  }
}

// ---- the operands of a product

/// Lists memory, or a chain of views of it.
template <fused_nodes N, class X> void list_memory(X const& x, fused_operands& to) {
  if constexpr (is_viewable<X> && !stored<X>) {
    list_view(x, to, [](auto const& child, fused_operands& t) { list_memory<N>(child, t); });
  } else {
    auto const shape = x.shape();
    list_leaf<N>(x, to, shape);
  }
}
/// Lists an operand of a product; its layout is broadcast over the batch of the product's shape.
template <fused_nodes N, class X>
void list_factor(X const& x, fused_operands& to, any_shape const& product) {
  auto const shape = x.shape();
  auto const frame = to.table.begin_view(shape);
  to.are_factors = true;
  list_memory<N>(x, to);
  to.table.end_factor(frame, product);
}

/// Whether a factor is the result of another kernel.
template <class X> inline constexpr bool is_computed_factor = !is_viewable<X>;

/// The memory that a chain of views reads.
template <class X> auto const& memory_below(X const& x) {
  if constexpr (stored<X>) return x;
  else return memory_below(x.template arg<0>());
}
/// Gives factor k its address, as compute_operands() does.
template <class X, class To> void compute_factor(X const& x, unsigned k, To const& to) {
  if constexpr (is_computed_factor<X>) to.compute(k, x);
  else to.bring(k, memory_below(x));
}

// ---- the operands of any fused kernel

/// Lists the operands of the kernel whose root, of type E, is at `root`.
template <class E, bool Split> void list_kernel(void const* root, fused_operands& to) {
  E const& e = *static_cast<E const*>(root);
  if constexpr (matmul_node<E>) {
    auto const shape = e.shape();
    list_factor<nodes_of<E, Split>>(e.template arg<0>(), to, shape);
    list_factor<nodes_of<E, Split>>(e.template arg<1>(), to, shape);
  } else {
    list_operands<nodes_of<E, Split>>(input_of(e), to);
  }
}
/// Whether an operand of the kernel is the result of another kernel.
template <class E, bool Split> constexpr bool computes_operands() {
  if constexpr (matmul_node<E>)
    return is_computed_factor<operand_type<E, 0>> || is_computed_factor<operand_type<E, 1>>;
  else return facts_of_kernel<E, Split>.computed != 0;
}
/// Gives the operands of the kernel their addresses.
template <class E, bool Split, class To> void compute_kernel(E const& e, To const& to) {
  if constexpr (matmul_node<E>) {
    compute_factor(e.template arg<0>(), 0, to);
    compute_factor(e.template arg<1>(), 1, to);
  } else {
    unsigned k = 0;
    compute_operands<nodes_of<E, Split>>(input_of(e), k, to);
  }
}
/// The number of operands of the kernel, and of their layouts.
template <class E, bool Split> constexpr table_size table_size_of_kernel() {
  if constexpr (matmul_node<E>) return {2, 2};
  else return facts_of_kernel<E, Split>.size;
}

}}}  // namespace placement::v0_1::detail
