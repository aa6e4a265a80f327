#pragma once
/// The origin of the nodes that a pullback makes: that of the node which is differentiated.

#include <placement/expr/expr.hpp>
#include <placement/expr/fusion.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

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

template <class... Known, class X>
PLACEMENT_ALWAYS_INLINE inline void relocate(X& x, origin const& from);
template <class... Known, class X, std::size_t... J>
PLACEMENT_ALWAYS_INLINE inline void relocate_operands([[maybe_unused]] X& x,
                                                      [[maybe_unused]] origin const& from,
                                                      std::index_sequence<J...>) {
  // x is not const, so its operands are not either
  (relocate<Known...>(const_cast<bare<decltype(x.template arg<J>())>&>(x.template arg<J>()), from),
   ...);
}
/// Gives a node that a pullback made an origin.
void relocate_node(origin& node, origin const& from);
/// Gives the nodes of x an origin, except those of types Known and below. Known: the types of the
/// expressions that the pullback was given, which have origins of their own.
template <class... Known, class X>
PLACEMENT_ALWAYS_INLINE inline void relocate([[maybe_unused]] X& x,
                                             [[maybe_unused]] origin const& from) {
  if constexpr (is_expr<X> && !(std::is_same_v<X, Known> || ...)) {
    relocate_node(x.from, from);
    relocate_operands<Known...>(x, from, std::make_index_sequence<X::arity>{});
  }
}
/// The same for the pullback of node E, which was given Known.
template <class E, class... Known, class X, std::size_t... J>
PLACEMENT_ALWAYS_INLINE inline void relocate_pullback(X& x, origin const& from,
                                                      std::index_sequence<J...>) {
  relocate<Known..., operand_type<E, J>...>(x, from);
}

}}}  // namespace placement::v0_1::detail
