#pragma once
/// plan_of: the plan of an expression, from its type or at run time.

#include <placement/plan/planner.hpp>

namespace placement { inline namespace v0_1 {

/// The plan of an expression type on a machine, as a constant. `scope`: the enclosing device scope.
/// `shapes`: if the type leaves extents open, the shapes of all tensors in the order they are
/// written, or none.
/// Assumptions where the type is not specific: operands are on the right device, extents that may
/// be equal are equal, and a run-time on() names no device. In gradients, nodes of one type are
/// equal.
/// Throws: shape_error if the shapes do not fit; in a constant expression, a compile error.
template <class E, class... X> requires(is_extents<X> && ...)
constexpr auto plan_of(machine m, policy p = {}, device_spec scope = {}, X const&... shapes) {
  detail::planner<detail::op_count<bare<E>>()> walk(m, p, scope, sizeof...(X) != 0);
  walk.template whole<bare<E>>(detail::make_abstract_expr<bare<E>>(shapes...), detail::no_pin{});
  return walk.made;
}
/// The same in the scope of a rule, which is inside `scope`. The rule is asked for each op, so all
/// shapes must be known.
/// Throws: invalid_argument if the type leaves extents open and no shapes are given; in a constant
/// expression, a compile error.
template <class E, device_rule R, class... X> requires(is_extents<X> && ...)
constexpr auto plan_of(machine m, policy p, device_spec scope, R const& rule, X const&... shapes) {
  detail::planner<detail::op_count<bare<E>>(), R> walk(m, p, scope, sizeof...(X) != 0, rule);
  walk.template whole<bare<E>>(detail::make_abstract_expr<bare<E>>(shapes...), detail::no_pin{});
  return walk.made;
}
template <class E, device_rule R, class... X> requires(is_extents<X> && ...)
constexpr auto plan_of(machine m, R const& rule, X const&... shapes) {
  return plan_of<E>(m, policy{}, device_spec{}, rule, shapes...);
}
/// The plan of this expression, with the scopes of its ops and the current devices of its operands.
template <lazy E> auto plan_of(E const& e, machine m, policy p = {}) try {
  detail::planner<detail::op_count<E>()> walk(m, p, {}, true);
  walk.template whole<E>(e, detail::no_pin{});
  return walk.made;
} catch (...) { detail::rethrow_as_error(); }
/// The plan of this expression on this machine, under the current settings.
template <lazy E> auto plan_of(E const& e) {
  return plan_of(e, this_machine(), detail::settings_here().policy());
}

}}  // namespace placement::v0_1
