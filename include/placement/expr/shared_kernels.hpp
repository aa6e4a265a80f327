#pragma once
/// Kernels that occur several times in one evaluation, as in gradients: each runs once. Expressions
/// with leaves, and several results, have a list of the results computed so far.

#include <placement/expr/custom_epilogue.hpp>
#include <placement/expr/decide.hpp>
#include <placement/expr/fused_form.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// The expressions of one evaluation.
template <class... E> struct roots {};

/// Whether an expression has an op that gradient<N>() names, as leaf<0>(w). Gradients repeat parts
/// of such expressions.
template <class E> inline constexpr bool has_leaf = false;
template <class Op, class K, class... A>
inline constexpr bool has_leaf<expr<Op, K, A...>> =
    requires { Op::leaf_number; } || (has_leaf<A> || ...);
template <class E, class D, class P> inline constexpr bool has_leaf<placed<E, D, P>> = has_leaf<E>;
template <class... E> inline constexpr bool has_leaf<roots<E...>> = (has_leaf<E> || ...);

/// How often expression X occurs in E, by type: 0, 1, or 2 for more.
template <class X, class E> inline constexpr int occurrences_in = std::is_same_v<X, E>;
template <class... E> constexpr int at_most_two(E... n) {
  int const all = (0 + ... + n);
  return all < 2 ? all : 2;
}
template <class X, class Op, class K, class... A>
inline constexpr int occurrences_in<X, expr<Op, K, A...>> =
    std::is_same_v<X, expr<Op, K, A...>> ? 1 : at_most_two(occurrences_in<X, A>...);
template <class X, class E, class D, class P>
inline constexpr int occurrences_in<X, placed<E, D, P>> =
    std::is_same_v<X, placed<E, D, P>> ? 1 : occurrences_in<X, E>;
template <class X, class... E>
inline constexpr int occurrences_in<X, roots<E...>> = at_most_two(occurrences_in<X, E>...);

/// A pin, and the results known so far in the evaluation of Root: an expression, or roots. Known:
/// computed_values; in a plan, planned_kernels.
template <class Root, class Pin, class Known> struct sharing_pin : Pin {
  using root = Root;
  using pin = Pin;
  Known& known;
};
template <class Pin> inline constexpr bool is_sharing = false;
template <class Root, class Pin, class Known>
inline constexpr bool is_sharing<sharing_pin<Root, Pin, Known>> = true;

/// The copies that all kernels of an evaluation read; null where each kernel makes its own.
template <class Pin> requires requires { typename Pin::policies; }
copied_operands* copies_for_kernels(Pin const& pin) {
  if constexpr (is_sharing<Pin>) return &pin.known.copies;
  else return nullptr;
}

template <class E, class Root, class Pin, class Known>
inline constexpr bool pinned_by_its_type<E, sharing_pin<Root, Pin, Known>> =
    pinned_by_its_type<E, Pin>;

/// Whether the result of kernel X is kept for others of the evaluation: its type occurs again.
template <class X, class Pin> inline constexpr bool is_shared = false;
template <class X, class Root, class Pin, class Known>
inline constexpr bool is_shared<X, sharing_pin<Root, Pin, Known>> = occurrences_in<X, Root> > 1;
/// Whether X is also a kernel of its own, and no part of the kernel that reads it. Only gradients
/// repeat so many nodes that equal types suggest equal values.
template <class X, class Pin> inline constexpr bool is_stored_apart = false;
template <class X, class Root, class Pin, class Known>
inline constexpr bool is_stored_apart<X, sharing_pin<Root, Pin, Known>> =
    has_leaf<Root> && is_expr<X> && is_shared<X, sharing_pin<Root, Pin, Known>>;
/// Whether a node below E is.
template <class E, class Pin> inline constexpr bool stores_below = false;
template <class Op, class K, class... A, class Pin> requires is_sharing<Pin>
inline constexpr bool stores_below<expr<Op, K, A...>, Pin> =
    (is_stored_apart<A, Pin> || ...) || (stores_below<A, Pin> || ...);

/// Whether the evaluation of E begins a list of results.
template <class E, class Pin>
inline constexpr bool begins_sharing = has_leaf<E> && !is_sharing<Pin>;
/// Whether several nodes of E are computed by one op. Nodes that others read, too, are kernels of
/// their own.
template <class E, class Pin> inline constexpr bool takes_fused_form = false;
template <has_fused_form E, class Pin>
inline constexpr bool takes_fused_form<E, Pin> = !stores_below<E, Pin>;

/// Whether E is the epilogue of its producer: one that others read, too, is a kernel of its own.
template <class E, bool Split, class Pin> inline constexpr bool has_epilogue_here = false;
template <class E, bool Split, class Pin> requires has_epilogue<E, Split>
inline constexpr bool has_epilogue_here<E, Split, Pin> =
    !is_stored_apart<std::remove_cvref_t<decltype(*std::declval<producer_type<E, Split>>())>, Pin>;
/// The same for a custom op on the CPU.
template <class E, class Pin> inline constexpr bool has_custom_epilogue_here = false;
template <class E, class Pin> requires has_custom_epilogue<E>
inline constexpr bool has_custom_epilogue_here<E, Pin> =
    !is_stored_apart<std::remove_cvref_t<decltype(*std::declval<custom_producer_type<E>>())>, Pin>;

/// The pin of an inner on(), with the list of the outer one.
template <class Outer, class Pin> constexpr Pin pin_below(Outer const&, Pin const& inner) {
  return inner;
}
template <class Root, class Outer, class Known, class Pin>
constexpr sharing_pin<Root, Pin, Known> pin_below(sharing_pin<Root, Outer, Known> const& outer,
                                                  Pin const& inner) {
  return {inner, outer.known};
}
/// Calls f with an expression that node E chose: its operand, or one that it made, which lives as
/// long as results of its kernels are known.
template <class E, class Pin, class X, class F>
constexpr void with_chosen(Pin const& pin, X const& chosen, F const& f) {
  if constexpr (!is_sharing<Pin> || std::is_same_v<X, operand_type<E, 0>>) f(chosen);
  else f(pin.known.nodes.keep(chosen));
}
/// The device that a pin requests; none without a request.
template <class Pin> constexpr device_spec device_of_pin(Pin const& pin) {
  if constexpr (requires { pin.requested; }) return pin.requested;
  else return {};
}

}}}  // namespace placement::v0_1::detail
