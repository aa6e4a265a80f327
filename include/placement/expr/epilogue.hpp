#pragma once
/// An element-wise expression as the epilogue of a product or reduction: which of its operands is
/// that result, and whether a library of products can apply it.

#include <placement/exec/operand_table.hpp>
#include <placement/expr/custom_epilogue.hpp>
#include <placement/expr/slot_expr.hpp>
#include <placement/kernels/gemm_epilogue.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The number of the slot below X that holds the result of producer_of(); -1 if there is none.
template <class R, bool Split, class X> constexpr int producer_slot() {
  int before = 0, found = -1;
  if constexpr (map_node<X>)
    operands_of<X>::each([&]<class C>() {
      if (found >= 0) return;
      if constexpr (takes_epilogue<C, R, Split>) found = before;
      else if constexpr (joins<C, nodes_of<R, Split>>)
        if (int const below = producer_slot<R, Split, C>(); below >= 0) found = before + below;
      before += static_cast<int>(facts_below<C, nodes_of<R, Split>>.size.operands);
    });
  return found;
}

/// The same for custom_producer_of().
template <class R, class X> constexpr int custom_producer_slot() {
  int before = 0, found = -1;
  if constexpr (map_node<X>)
    operands_of<X>::each([&]<class C>() {
      if (found >= 0) return;
      if constexpr (takes_custom_epilogue<C, R>) found = before;
      else if (int const below = custom_producer_slot<R, C>(); below >= 0) found = before + below;
      before += static_cast<int>(facts_below<C, fused_nodes::all>.size.operands);
    });
  return found;
}

/// Whether X is the product whose result has slot `slot`.
template <class R, bool Split, class X> constexpr bool is_product_at(int slot) {
  if constexpr (matmul_node<X> && takes_epilogue<X, R, Split>)
    return slot == producer_slot<R, Split, R>();
  else return false;
}
/// The form of the expression below X, whose first slot is number `slot`.
template <class R, bool Split, class X> constexpr epilogue_form epilogue_form_of(int slot = 0) {
  if (is_product_at<R, Split, X>(slot)) return {true};
  if constexpr (!map_node<X>) {
    return {};
  } else if constexpr (matches_epilogue<typename X::op_type, gemm_epilogue::bias>) {
    using A = operand_type<X, 0>;
    using B = operand_type<X, 1>;
    constexpr fused_nodes nodes = nodes_of<R, Split>;
    int const right = slot + static_cast<int>(facts_below<A, nodes>.size.operands);
    if (is_product_at<R, Split, A>(slot))
      return {is_one_operand<nodes, B>(), gemm_epilogue::bias, right};
    if (is_product_at<R, Split, B>(right))
      return {is_one_operand<nodes, A>(), gemm_epilogue::bias, slot};
    return {};
  } else if constexpr (matches_epilogue<typename X::op_type, gemm_epilogue::relu>) {
    epilogue_form form = epilogue_form_of<R, Split, operand_type<X, 0>>(slot);
    bool const has_bias = form.as == gemm_epilogue::bias;
    form.known = form.known && (has_bias || form.as == gemm_epilogue::nothing);
    form.as = has_bias ? gemm_epilogue::bias_relu : gemm_epilogue::relu;
    return form;
  } else {
    return {};
  }
}
/// The epilogue if it is known and its bias is one row, broadcast to all rows.
recognized_epilogue recognize(epilogue_form const& form, operand_table const& table);

}}}  // namespace placement::v0_1::detail
