#pragma once
/// What can be differentiated, by types: ops with a pullback, and paths to tensors of floating
/// point.

#include <placement/expr/fusion.hpp>
#include <placement/expr/list.hpp>
#include <placement/expr/reference.hpp>
#include <placement/kernels/pullback_reads.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 {

/// The value of its operand, which gradients do not reach.
/// Shape: unchanged.  Type: any.  Kernels: CPU, GPU (pattern map).
struct stop_gradient_op;

namespace detail {

template <class Op> concept has_pullback = requires { typename Op::pullback_reads; };
/// A view that only changes the layout has a derivative without a pullback: each element of the
/// gradient is added where its element came from.
template <class Op> concept moves_elements =
    !has_pullback<Op> && std::is_same_v<typename Op::pattern, view_op> &&
    !requires { Op::reshapes; } && !requires { Op::broadcasts; };
template <class Op>
inline constexpr bool is_differentiable_op = has_pullback<Op> || moves_elements<Op>;
/// Elements that gradients flow through. Those of complex numbers are not computed: an error.
template <class T> inline constexpr bool carries_gradient = real_number<T> || is_complex<T>;

/// What an op's pullback reads; nothing for a view.
template <class Op> struct reads_of_pullback : reads_nothing {};
template <has_pullback Op> struct reads_of_pullback<Op> : Op::pullback_reads {};

/// Whether a gradient can reach a tensor in X. Elements that are not of floating point stop it, and
/// so does stop_gradient().
template <class X> inline constexpr bool has_path = false;
template <class X> requires(is_tensor<X> || is_reference<X> || is_list<X>)
inline constexpr bool has_path<X> = real_number<typename X::value_type>;
template <class Op, class K, class... A>
inline constexpr bool has_path<expr<Op, K, A...>> =
    carries_gradient<typename expr<Op, K, A...>::value_type> &&
    !std::is_same_v<Op, stop_gradient_op> && (has_path<A> || ...);
template <class E, class D, class P> inline constexpr bool has_path<placed<E, D, P>> = has_path<E>;

/// Whether the pullback of a node can be called: of real numbers.
template <class E> inline constexpr bool has_derivative = false;
template <class Op, class K, class... A>
inline constexpr bool has_derivative<expr<Op, K, A...>> =
    is_differentiable_op<Op> && real_number<typename expr<Op, K, A...>::value_type> &&
    ((!has_path<A> || real_number<typename A::value_type>) && ...);

/// The op of the first node on a path that has no derivative; void if all have one.
template <class X> struct without_derivative {
  using type = void;
};
template <class... Found> struct first_of_types {
  using type = void;
};
template <class F, class... More> struct first_of_types<F, More...> {
  using type = F;
};
template <class... More> struct first_of_types<void, More...> : first_of_types<More...> {};
template <class Op, class K, class... A> requires has_path<expr<Op, K, A...>>
struct without_derivative<expr<Op, K, A...>> {
  using type =
      typename first_of_types<std::conditional_t<has_derivative<expr<Op, K, A...>>, void, Op>,
                              typename without_derivative<A>::type...>::type;
};
template <class E, class D, class P>
struct without_derivative<placed<E, D, P>> : without_derivative<E> {};

/// Whether the gradient of a node has exactly the shape of its operand. That of an op which
/// broadcasts, or of a reduction, broadcasts to it or from it.
template <class E> inline constexpr bool passes_exactly = true;
template <class E>
requires(
            map_node<E> || reduce_node<E> || requires { E::op_type::broadcasts; } ||
            requires { E::op_type::sums_gradient; } || (matmul_node<E> && E::rank > 2))
inline constexpr bool passes_exactly<E> = false;

/// Whether the gradient of a node may be a number for all elements, or another tensor that only
/// broadcasts to the node's shape. Not if the pullback sums it, as sums_whole_gradient declares.
template <class E>
inline constexpr bool takes_broadcast =
    (map_node<E> && !requires { E::op_type::sums_whole_gradient; }) ||
    (is_expr<E> && requires { requires E::op_type::broadcasts; });
template <class E, class G> constexpr bool takes_as_it_is() {
  if constexpr (takes_broadcast<E>) return true;
  else return G::rank == 0 && reduce_node<E> && requires { requires E::op_type::takes_number; };
}

/// Whether h, the gradient of operand I of a node, has the operand's shape. g: that of the node.
/// Exact: g has the node's shape. An element-wise node of one operand has the operand's shape, and
/// so has h, unless h is one number.
template <std::size_t I, bool Exact, class E, class G, class H> constexpr bool gives_exactly() {
  constexpr bool is_of_node = map_node<E> && E::arity == 1 && (Exact || G::rank == 0);
  if constexpr (is_of_node) return H::rank == operand_type<E, I>::rank;
  else return passes_exactly<E>;
}

/// What types say of the shape of a gradient: nothing but that it broadcasts with the shape of its
/// node; or that it has this shape or a larger one; or exactly this shape.
enum class gradient_shape { broadcasts, covers, exact };
/// The same for h, the gradient of operand I of a node whose gradient g has shape S.
template <std::size_t I, gradient_shape S, class E, class G, class H>
constexpr gradient_shape shape_of_pullback() {
  if (gives_exactly<I, S == gradient_shape::exact, E, G, H>()) return gradient_shape::exact;
  if (map_node<E> && S != gradient_shape::broadcasts && H::rank == E::rank)
    return gradient_shape::covers;
  return gradient_shape::broadcasts;
}

/// The value of an operand in a pullback: a number of the expression is a plain number.
template <class X> constexpr decltype(auto) value_for_pullback(X const& x) {
  if constexpr (is_scalar<X>) return (x.v);
  else return (x);
}

template <std::size_t I, class E, class G, class Y, std::size_t... J>
auto call_pullback(E const& e, G const& g, Y const& y, std::index_sequence<J...>) {
  return e.op.template pullback<I, typename E::kernels>(g, y,
                                                        value_for_pullback(e.template arg<J>())...);
}
/// The gradient of operand I of a node, as an expression. y: the node's result.
template <std::size_t I, class E, class G, class Y>
PLACEMENT_ALWAYS_INLINE inline auto pulled_back(E const& e, G const& g, Y const& y) {
  return call_pullback<I>(e, g, y, std::make_index_sequence<E::arity>{});
}

}  // namespace detail

/// Whether each op between E and the tensors in it has a derivative.
template <class E>
inline constexpr bool is_differentiable =
    detail::has_path<bare<E>> && std::is_void_v<typename detail::without_derivative<bare<E>>::type>;

}}  // namespace placement::v0_1
