#pragma once
/// The origin of the nodes that a pullback makes: that of the node which is differentiated.

#include <placement/expr/expr.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Gives the nodes of x an origin, except those of types Known and below. Known: the types of the
/// expressions that the pullback was given, which have origins of their own.
template <class... Known, class X> void relocate(X& x, origin const& from) {
  if constexpr (is_expr<X> && !(std::is_same_v<X, Known> || ...)) {
    x.from.where = from.where;
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
