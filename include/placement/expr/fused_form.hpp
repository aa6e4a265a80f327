#pragma once
/// Ops that compute several nodes at once. The evaluation of such nodes chooses the op, and so do
/// gradient tapes and plans.

#include <placement/expr/expr.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Specialised in the header of an op that computes the nodes of E at once. Members:
/// - type: the expression of that op.
/// - matches(n, shapes_known): whether the op computes n, an E or the abstract expression of E.
/// - call(n, f): f(the operands of the op...).
/// - inner(n): the innermost node, whose origin the op takes.
template <class E> struct fused_form {};
template <class E> concept has_fused_form = requires { typename fused_form<E>::type; };

/// Nodes whose evaluation is that of another expression, which run-time extents choose. Their op
/// has `choose(e, f)`: f(the expression). By type alone it is the operand.
template <class E> concept chooses_expression = is_expr<E> && requires { E::op_type::is_chosen; };

/// Whether two nodes request one device, and have one name.
inline bool have_one_origin(origin const& a, origin const& b) {
  return a.requested == b.requested && a.requested_by == b.requested_by && a.name == b.name;
}

/// The expression of that op with the operands of e.
template <has_fused_form E> typename fused_form<E>::type fused(E const& e) {
  using of_nodes = fused_form<E>;
  return of_nodes::call(e, [&]<class... A>(A const&... x) {
    typename of_nodes::type made{{}, of_nodes::inner(e).from.where, A(x)...};
    made.from = of_nodes::inner(e).from;
    return made;
  });
}

}}}  // namespace placement::v0_1::detail
