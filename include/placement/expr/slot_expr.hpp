#pragma once
/// The expression of a block kernel, made from the nodes of a fusion group: ops and numbers by
/// value, and slots in place of operands.

#include <placement/cpu/block_expr.hpp>
#include <placement/exec/operand_table.hpp>
#include <placement/expr/fusion.hpp>
#include <placement/kernels/cost.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The slot of an operand in memory with the shape of X.
template <class X, class T = typename X::value_type>
using operand_slot = std::conditional_t<X::extents_type::rank == 0, single_slot<T>, memory_slot<T>>;

/// Whether X is a reshape of an expression of its fusion group.
template <class X, class R, bool Split> constexpr bool reshapes_expression() {
  if constexpr (!joins<X, R, Split>) return false;
  else if constexpr (!reshaping_node<X>) return false;
  else return joins<operand_type<X, 0>, R, Split>;
}

/// The expression below node x of the fusion group with root R.
template <class R, bool Split, class X> constexpr auto slot_expr_of(X const& x) {
  if constexpr (is_scalar<X>) {
    return x;
  } else if constexpr (!joins<X, R, Split>) {
    return operand_slot<X>{};
  } else if constexpr (relayout<X> || reshapes_expression<X, R, Split>()) {
    return slot_expr_of<R, Split>(x.template arg<0>());
  } else if constexpr (reshaping_node<X>) {
    return operand_slot<X>{};
  } else if constexpr (has_pattern<typename X::op_type, fill>) {
    return generator_slot<typename X::op_type>{x.op};
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return bound_expr<false, typename X::op_type,
                        decltype(slot_expr_of<R, Split>(x.template arg<I>()))...>{
          x.op, {{slot_expr_of<R, Split>(x.template arg<I>())}...}};
    }(std::make_index_sequence<X::arity>{});
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
using slot_expr = decltype(slot_expr_of<E, Split>(std::declval<input_type<E> const&>()));

/// The number of operands of the kernel, and of their layouts.
template <class R, bool Split, class X> constexpr table_size table_size_of() {
  if constexpr (is_scalar<X>) {
    return {0, 0};
  } else if constexpr (!joins<X, R, Split>) {
    return {1, X::extents_type::rank == 0 ? 0U : 1U};
  } else {
    table_size all{0, 0};
    if constexpr (has_pattern<typename X::op_type, fill>) all = {1, 1};
    operands_of<X>::each([&]<class C>() {
      table_size const one = table_size_of<R, Split, C>();
      all.operands += one.operands;
      all.levels += one.levels;
    });
    if constexpr (reshaping_node<X>) ++all.levels;
    return all;
  }
}

/// The work per element; an addition costs 1.
template <class R, bool Split, class X> constexpr std::size_t element_cost() {
  if constexpr (is_scalar<X> || !joins<X, R, Split>) {
    return 1;
  } else {
    std::size_t cost = 1;
    if constexpr (!has_pattern<typename X::op_type, view_op>)
      cost = cost_of_op<typename X::op_type>;
    operands_of<X>::each([&]<class C>() { cost += element_cost<R, Split, C>() - 1; });
    return cost;
  }
}
/// The work per element to gather the operands of reshapes.
template <class R, bool Split, class X> constexpr std::size_t reshape_cost() {
  if constexpr (is_scalar<X> || !joins<X, R, Split>) {
    return 0;
  } else {
    std::size_t cost = reshapes_expression<X, R, Split>() ? 8 : 0;
    operands_of<X>::each([&]<class C>() { cost += reshape_cost<R, Split, C>(); });
    return cost;
  }
}

/// The operands with a rank above 0: in memory, or index generators.
template <class R, bool Split, class X> constexpr unsigned operands_with_extents() {
  if constexpr (is_scalar<X>) {
    return 0;
  } else if constexpr (!joins<X, R, Split>) {
    return X::extents_type::rank != 0 ? 1 : 0;
  } else {
    unsigned n = has_pattern<typename X::op_type, fill> && X::rank != 0 ? 1 : 0;
    operands_of<X>::each([&]<class C>() { n += operands_with_extents<R, Split, C>(); });
    if (n == 0 && reshaping_node<X> && X::rank != 0) n = 1;  // one element, with extents of 1
    return n;
  }
}

/// Whether the fusion group is one operand in memory, of any layout.
template <class R, bool Split, class X> constexpr bool is_one_operand() {
  if constexpr (is_scalar<X>) return false;
  else if constexpr (!joins<X, R, Split>) return X::extents_type::rank != 0;
  else if constexpr (relayout<X>) return is_one_operand<R, Split, operand_type<X, 0>>();
  else if constexpr (reshaping_node<X>)
    return X::extents_type::rank != 0 && !joins<operand_type<X, 0>, R, Split>;
  else return false;
}
/// The same, also below several reshapes and views.
template <class R, bool Split, class X> constexpr bool reads_one_operand() {
  if constexpr (is_one_operand<R, Split, X>()) return true;
  else if constexpr (is_scalar<X> || !joins<X, R, Split>) return false;
  else if constexpr (relayout<X> || reshaping_node<X>)
    return reads_one_operand<R, Split, operand_type<X, 0>>();
  else return false;
}

}}}  // namespace placement::v0_1::detail
