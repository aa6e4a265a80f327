#pragma once
/// The device requests of the kernels and ops of a plan.

#include <placement/expr/decide.hpp>
#include <placement/plan/abstract_expr.hpp>
#include <placement/plan/plan.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

struct no_rule {};

/// Finds the requests for a machine, policies, a scope, and the rule in it.
template <class Rule> class planned_requests {
 public:
  /// `shapes_known`: the shapes of the abstract expression are known.
  constexpr planned_requests(machine m, policy p, device_spec scope, bool shapes_known,
                             Rule rule = {})
      : machine_(m),
        policy_(p),
        scope_(scope.relative()),
        shapes_known_(shapes_known),
        rule_(rule) {}

 protected:
  template <class E, class Node> constexpr auto pin_for(Node const& n) const {
    return pin_of(static_cast<E const*>(nullptr), n);
  }
  template <class E, class D, class P, class Node>
  constexpr pinned_by<P> pin_of(placed<E, D, P> const*, Node const& n) const {
    if constexpr (is_abstract<Node>) return {nest(scope_, spec_of_tag<D>())};
    else return {n.requested};
  }
  template <class E, class Node, class Pin>
  constexpr requested_device requested_by_kernel(Node const& n, Pin const& pin) const {
    if constexpr (requires { pin.requested; })
      return {pin.requested,
              !is_abstract<Node> || pin.requested.has_value() ? Pin::requested_by
                                                              : request_source::nobody,
              0};
    else if constexpr (!is_abstract<Node>)
      return {n.from.requested, n.from.requested_by, n.from.rule};
    else if constexpr (std::is_same_v<Rule, no_rule>)
      return {scope_, scope_.has_value() ? request_source::scope : request_source::nobody, 0};
    else return by_rule<E>(n);
  }
  /// The request of an op in the scope of the rule, which is inside `scope_`.
  template <class E, class Node> constexpr requested_device by_rule(Node const& n) const {
    op_facts const op{E::op_type::name, element_name<element_of<E>>(), bytes_of<E>(n), {}};
    if (op.bytes == unknown_size) bytes_are_open();
    device_spec const own = answer_of(rule_, op);
    device_spec const all = nest(scope_, own).relative();
    bool const is_named = !own.is_local() || own.local_device().has_value();
    request_source const by = is_named ? request_source::rule : request_source::scope;
    return {all, all.has_value() ? by : request_source::nobody, 0};
  }

  /// The device of a tensor whose type names one.
  template <class C> constexpr device home_of() const {
    constexpr device d = device_in_type<C>::value;
    if constexpr (!d.has_value()) return d;
    else
      return place({device_spec{d}, request_source::type, {true, true}}, machine_, policy_).device;
  }

  template <class C, class Node> constexpr std::size_t bytes_of(Node const& n) const {
    using X = typename C::extents_type;
    if (is_abstract<Node> && !X::is_static && !shapes_known_) return unknown_size;
    return n.shape().count() * sizeof(typename C::value_type);
  }

  /// The device request of an op itself.
  template <class E, class Node> constexpr device_spec written_for(Node const& x) const {
    if constexpr (!is_abstract<Node>) return x.from.requested;
    else if constexpr (device_in_type<E>::value.has_value()) return {device_in_type<E>::value};
    else if constexpr (std::is_same_v<Rule, no_rule>) return scope_;
    else return by_rule<E>(x).requested;
  }

  machine machine_;
  policy policy_;
  device_spec scope_;
  bool shapes_known_;
  Rule rule_;
};

}}}  // namespace placement::v0_1::detail
