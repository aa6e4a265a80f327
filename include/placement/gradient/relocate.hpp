#pragma once
/// The origin of the nodes that a pullback makes: that of the node which is differentiated.

#include <placement/expr/expr.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The label of an op's name.
template <class Op> label label_of_op() {
  static label const l = label_of(Op::name);
  return l;
}
/// The origin of the nodes that the pullback of op makes. forward: that of the op's node.
template <class Op> origin origin_of_gradient(origin const& forward) {
  origin from = forward;
  from.gradient_of = label_of_op<Op>();
  return from;
}

/// Gives the nodes of x an origin, except those of types Known and below. Known: the types of the
/// expressions that the pullback was given, which have origins of their own.
template <class... Known, class X> void relocate(X& x, origin const& from) {
  if constexpr (is_expr<X> && !(std::is_same_v<X, Known> || ...)) {
    x.from.where = from.where;
    x.from.gradient_of = from.gradient_of;
    x.from.name = detail::scope_of(from.name);
    if (from.requested.has_value()) {
      x.from.requested = from.requested;
      x.from.requested_by = from.requested_by;
      x.from.rule = from.rule;
    }
    [&]<std::size_t... J>(std::index_sequence<J...>) {
      // x is not const, so its operands are not either
      (relocate<Known...>(const_cast<bare<decltype(x.template arg<J>())>&>(x.template arg<J>()),
                          from),
       ...);
    }(std::make_index_sequence<X::arity>{});
  }
}

}}}  // namespace placement::v0_1::detail
