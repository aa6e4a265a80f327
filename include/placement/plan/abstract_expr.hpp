#pragma once
/// An expression reduced to types and shapes: the same operands under the same indices, and their
/// shapes if given.

#include <placement/expr/fused_form.hpp>
#include <placement/expr/fusion.hpp>
#include <placement/expr/list.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The expression inside nested on() calls.
template <class E> constexpr auto const& unplaced(E const& e) {
  if constexpr (is_placed<E>) return unplaced(e.inner);
  else return e;
}
template <class E> using unplaced_t = bare<decltype(unplaced(std::declval<E const&>()))>;

/// The maximal number of nodes in a plan of E.
template <class E> constexpr std::size_t op_count() {
  if constexpr (is_placed<E>) {
    using inner = decltype(E::inner);
    return stored<inner> ? 1 : op_count<inner>();
  } else if constexpr (is_expr<E>) {
    std::size_t n = 1;
    if constexpr (chooses_expression<E>) n = E::op_type::max_ops;
    operands_of<E>::each([&]<class C>() { n += op_count<C>(); });
    return n;
  } else {
    return 0;
  }
}

/// Operands with extents unknown to the type have extents of 0 until shapes are set.
template <class E> struct abstract_expr {
  typename E::extents_type known_shape{};

  constexpr auto const& shape() const { return known_shape; }
};
template <class T> struct abstract_expr<scalar<T>> {};
template <class Op, class K, class... A> struct abstract_expr<expr<Op, K, A...>> {
  pack<abstract_expr<A>...> args{};
  typename expr<Op, K, A...>::extents_type known_shape{};

  constexpr auto const& shape() const { return known_shape; }
  template <std::size_t I> constexpr auto const& arg() const { return args.template get<I>(); }
};
template <class E, class D, class P> struct abstract_expr<placed<E, D, P>> {
  abstract_expr<E> inner{};

  constexpr auto const& shape() const { return inner.shape(); }
};

/// Whether N is an abstract expression; otherwise N is the expression itself.
template <class N> inline constexpr bool is_abstract = false;
template <class E> inline constexpr bool is_abstract<abstract_expr<E>> = true;

/// The abstract expression of the op that computes n's nodes at once.
template <class E> constexpr auto fused(abstract_expr<E> const& n) {
  return fused_form<E>::call(n, [&](auto const&... x) {
    return abstract_expr<typename fused_form<E>::type>{{{x}...}, n.known_shape};
  });
}

// ---- shapes

/// The number of tensors that E reads. Shapes are given for them in this order, from left to right.
template <class E> constexpr std::size_t tensors_in() {
  if constexpr (is_placed<E>) {
    return tensors_in<decltype(E::inner)>();
  } else if constexpr (is_expr<E>) {
    std::size_t n = 0;
    operands_of<E>::each([&]<class C>() { n += tensors_in<C>(); });
    return n;
  } else {
    return is_scalar<E> ? 0 : 1;
  }
}

/// A shape as numbers.
struct given_shape {
  std::size_t rank;
  index_t extent[max_rank]{};

  template <class X> constexpr explicit given_shape(X const& x) : rank(X::rank) {
    for (std::size_t d = 0; d != rank; ++d) extent[d] = x.at(d);
  }
  template <class X> constexpr X as() const {
    if (rank != X::rank)
      throw shape_error("placement: a tensor of rank " + std::to_string(X::rank) +
                        " is given a shape of rank " + std::to_string(rank) +
                        ". Give a shape for each tensor, in the order they are written.");
    dextents<X::rank> given{};
    if constexpr (X::rank != 0)
      for (std::size_t d = 0; d != X::rank; ++d) given.n[d] = extent[d];
    return converted<X>(given);
  }
};

template <class N> constexpr auto given_shape_of(N const& n) {
  if constexpr (requires { n.shape(); }) return n.shape();
  else return extents<>{};
}

/// Whether the type of an op determines its results: it has no members, or states it.
template <class Op> inline constexpr bool is_determined_by_type = std::is_empty_v<Op>;
template <class Op> requires requires { Op::is_determined_by_type; }
inline constexpr bool is_determined_by_type<Op> = Op::is_determined_by_type;

template <class E> constexpr void set_shapes(abstract_expr<E>& to, given_shape const*& next) {
  static_assert(
      !is_list<E>,
      "placement: how many tensors a list holds is known at run time. Ask plan_of(e, machine).");
  if constexpr (!is_scalar<E>) to.known_shape = (next++)->template as<typename E::extents_type>();
}
template <class E, class D, class P>
constexpr void set_shapes(abstract_expr<placed<E, D, P>>& to, given_shape const*& next) {
  set_shapes(to.inner, next);
}
template <class Op, class K, class... A>
constexpr void set_shapes(abstract_expr<expr<Op, K, A...>>& to, given_shape const*& next) {
  static_assert(
      is_determined_by_type<Op> && std::is_default_constructible_v<Op>,
      "placement: an op of this expression holds an axis, a range or a shape that its type does not tell. Write axis<1>, or ask plan_of(e, machine).");
  if constexpr (is_determined_by_type<Op> && std::is_default_constructible_v<Op>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (set_shapes(static_cast<slot<I, abstract_expr<A>>&>(to.args).value, next), ...);
      if constexpr (has_pattern<Op, map>)
        to.known_shape = broadcast(given_shape_of(to.template arg<I>())...);
      else to.known_shape = Op{}.result(given_shape_of(to.template arg<I>())...);
    }(std::index_sequence_for<A...>{});
  }
}

/// The abstract expression of E. If shapes are given, one per tensor, all its ops have shapes, too.
template <class E, class... X> constexpr abstract_expr<E> make_abstract_expr(X const&... shapes) {
  abstract_expr<E> made{};
  if constexpr (sizeof...(X) != 0) {
    static_assert(
        sizeof...(X) == tensors_in<E>(),
        "placement: plan_of takes a shape for each tensor of the expression, in the order they are written.");
    given_shape const given[] = {given_shape(shapes)...};
    given_shape const* next = given;
    if constexpr (sizeof...(X) == tensors_in<E>()) set_shapes(made, next);
  }
  return made;
}

}}}  // namespace placement::v0_1::detail
