#pragma once
/// The expression of a block kernel, made from the nodes of a fusion group: ops and numbers by
/// value, and slots in place of operands.

#include <placement/cpu/block_expr.hpp>
#include <placement/exec/operand_table.hpp>
#include <placement/expr/fusion.hpp>
#include <placement/kernels/cost.hpp>

#include <initializer_list>

namespace placement { inline namespace v0_1 { namespace detail {

/// The slot of an operand in memory with the shape of X.
template <class X, class T = typename X::value_type>
using operand_slot = std::conditional_t<X::extents_type::rank == 0, single_slot<T>, memory_slot<T>>;

/// Whether X is a reshape of an expression of its fusion group.
template <class X, fused_nodes N> inline constexpr bool reshapes_expression = false;
template <reshaping_node X, fused_nodes N>
inline constexpr bool reshapes_expression<X, N> = joins<X, N> && joins<operand_type<X, 0>, N>;

/// The expression below node x of a fusion group.
template <fused_nodes N, class X> constexpr auto slot_expr_of(X const& x);
template <fused_nodes N, class X, std::size_t... I>
constexpr auto slot_expr_of_op(X const& x, std::index_sequence<I...>) {
  return bound_expr<false, typename X::op_type, decltype(slot_expr_of<N>(x.template arg<I>()))...>{
      x.op, {{slot_expr_of<N>(x.template arg<I>())}...}};
}
template <fused_nodes N, class X> constexpr auto slot_expr_of(X const& x) {
  if constexpr (is_scalar<X>) {
    return x;
  } else if constexpr (!joins<X, N>) {
    return operand_slot<X>{};
  } else if constexpr (relayout<X> || reshapes_expression<X, N>) {
    return slot_expr_of<N>(x.template arg<0>());
  } else if constexpr (reshaping_node<X>) {
    return operand_slot<X>{};
  } else if constexpr (has_pattern<typename X::op_type, fill>) {
    return generator_slot<typename X::op_type>{x.op};
  } else {
    return slot_expr_of_op<N>(x, std::make_index_sequence<X::arity>{});
  }
}

/// The expression whose elements the block kernel of E computes: a reduction's operand, else E.
template <class E> constexpr auto const& input_of(E const& e) {
  if constexpr (reduce_node<E>) return e.template arg<0>();
  else return e;
}
template <class E> using input_type = bare<decltype(input_of(std::declval<E const&>()))>;
/// The expression of the block kernel of E.
template <class E, bool Split>
using slot_expr = decltype(slot_expr_of<nodes_of<E, Split>>(std::declval<input_type<E> const&>()));

// ---- facts from types, in one pass

/// The facts about a kernel that the types of a node and of the nodes below it determine.
struct group_facts {
  table_size size{0, 0};             ///< the number of operands, and of their layouts
  std::size_t cost = 1;              ///< per element; an addition costs 1
  std::size_t cost_of_reshapes = 0;  ///< per element, to gather the operands of reshapes
  unsigned with_extents = 0;         ///< operands of a rank above 0: in memory, or index generators
  unsigned computed = 0;             ///< operands that are the results of other kernels
};
/// One node of a fusion group.
struct group_node {
  bool is_fill, reshapes, reshapes_expression, has_extents;
  std::size_t cost;
};
constexpr group_facts facts_of_node(group_node const& n,
                                    std::initializer_list<group_facts> operands) {
  group_facts all;
  all.cost = n.cost;
  if (n.is_fill) all.size = {1, 1};
  if (n.is_fill && n.has_extents) all.with_extents = 1;
  if (n.reshapes) ++all.size.levels;
  if (n.reshapes_expression) all.cost_of_reshapes = 8;
  for (group_facts const& one : operands) {
    all.size.operands += one.size.operands;
    all.size.levels += one.size.levels;
    all.cost += one.cost - 1;
    all.cost_of_reshapes += one.cost_of_reshapes;
    all.with_extents += one.with_extents;
    all.computed += one.computed;
  }
  if (all.with_extents == 0 && n.reshapes && n.has_extents)
    all.with_extents = 1;  // one element, with extents of 1
  return all;
}
template <class X, fused_nodes N>
inline constexpr group_node node_of{
    has_pattern<typename X::op_type, fill>, reshaping_node<X>, reshapes_expression<X, N>,
    X::rank != 0, has_pattern<typename X::op_type, view_op> ? 1 : cost_of_op<typename X::op_type>};

/// Of an operand outside of the fusion group, or of a node in it.
template <class X, fused_nodes N>
inline constexpr group_facts facts_below{.size = {1, X::extents_type::rank == 0 ? 0U : 1U},
                                         .with_extents = X::extents_type::rank == 0 ? 0U : 1U,
                                         .computed = stored<X> ? 0U : 1U};
template <class X, fused_nodes N> requires is_scalar<X>
inline constexpr group_facts facts_below<X, N>{};
template <class Op, class K, class... A, fused_nodes N> requires joins<expr<Op, K, A...>, N>
inline constexpr group_facts facts_below<expr<Op, K, A...>, N> =
    facts_of_node(node_of<expr<Op, K, A...>, N>, {facts_below<A, N>...});
/// Of the block kernel of E.
template <class E, bool Split>
inline constexpr group_facts const& facts_of_kernel =
    facts_below<input_type<E>, nodes_of<E, Split>>;

/// Whether the fusion group is one operand in memory, of any layout.
template <fused_nodes N, class X> constexpr bool is_one_operand() {
  if constexpr (is_scalar<X>) return false;
  else if constexpr (!joins<X, N>) return X::extents_type::rank != 0;
  else if constexpr (relayout<X>) return is_one_operand<N, operand_type<X, 0>>();
  else if constexpr (reshaping_node<X>)
    return X::extents_type::rank != 0 && !joins<operand_type<X, 0>, N>;
  else return false;
}

}}}  // namespace placement::v0_1::detail
