#pragma once
/// The operands of a product in an operand table: memory of any layout, without a copy.

#include <placement/expr/fused_operands.hpp>
#include <placement/expr/slot_expr.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Lists memory, or a chain of views of it.
template <class R, bool Split, class X> void list_memory(X const& x, fused_operands& to) {
  if constexpr (is_viewable<X> && !stored<X>) {
    list_view(x, to, [](auto const& child, fused_operands& t) { list_memory<R, Split>(child, t); });
  } else {
    auto const shape = x.shape();
    list_leaf<R, Split>(x, to, shape);
  }
}
/// Lists an operand of a product; its layout is broadcast over the batch of the product's shape.
template <class R, bool Split, class X>
void list_factor(X const& x, fused_operands& to, any_shape const& product) {
  auto const shape = x.shape();
  auto const frame = to.table.begin_view(shape);
  to.are_factors = true;
  list_memory<R, Split>(x, to);
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
template <class X, class Bring, class Compute>
void compute_factor(X const& x, unsigned k, Bring const& bring, Compute const& compute) {
  if constexpr (is_computed_factor<X>) compute(k, x);
  else bring(k, memory_below(x));
}

// ---- the operands of any fused kernel

/// Lists the operands of the kernel whose root is e.
template <class E, bool Split> void list_kernel(E const& e, fused_operands& to) {
  if constexpr (matmul_node<E>) {
    auto const shape = e.shape();
    list_factor<E, Split>(e.template arg<0>(), to, shape);
    list_factor<E, Split>(e.template arg<1>(), to, shape);
  } else {
    list_operands<E, Split>(input_of(e), to);
  }
}
/// Whether an operand of the kernel is the result of another kernel.
template <class E, bool Split> constexpr bool computes_operands() {
  if constexpr (matmul_node<E>)
    return is_computed_factor<operand_type<E, 0>> || is_computed_factor<operand_type<E, 1>>;
  else return computed_operands<E, Split, input_type<E>>() != 0;
}
/// Gives the operands of the kernel their addresses.
template <class E, bool Split, class Bring, class Compute>
void compute_kernel(E const& e, Bring const& bring, Compute const& compute) {
  if constexpr (matmul_node<E>) {
    compute_factor(e.template arg<0>(), 0, bring, compute);
    compute_factor(e.template arg<1>(), 1, bring, compute);
  } else {
    unsigned k = 0;
    compute_operands<E, Split>(input_of(e), k, bring, compute);
  }
}
/// The number of operands of the kernel, and of their layouts.
template <class E, bool Split> constexpr table_size table_size_of_kernel() {
  if constexpr (matmul_node<E>) return {2, 2};
  else return table_size_of<E, Split, input_type<E>>();
}

}}}  // namespace placement::v0_1::detail
