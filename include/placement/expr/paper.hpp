#pragma once
/// What stands for an expression of which only the type is known: its operands under the same
/// numbers, and their shapes where they are given.

#include <placement/expr/list.hpp>
#include <placement/expr/region.hpp>

namespace placement::inline v0_1::detail {

/// Operands that a type leaves open have extents of 0 until they are told.
template <class E> struct paper {
  typename E::extents_type known_shape{};

  constexpr auto const& shape() const { return known_shape; }
};
template <class T> struct paper<scalar<T>> {};
template <class Op, class K, class... A> struct paper<expr<Op, K, A...>> {
  pack<paper<A>...> args{};
  typename expr<Op, K, A...>::extents_type known_shape{};

  constexpr auto const& shape() const { return known_shape; }
  template <std::size_t I> constexpr auto const& arg() const { return args.template get<I>(); }
};
template <class E, class D, class P> struct paper<placed<E, D, P>> {
  paper<E> inner{};

  constexpr auto const& shape() const { return inner.shape(); }
};

/// Is it a stand-in? Else it is the expression itself.
template <class N> inline constexpr bool on_paper = false;
template <class E> inline constexpr bool on_paper<paper<E>> = true;

// ---- shapes

/// How many tensors E reads: those on paper are told in this order, from left to right.
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
struct told_shape {
  std::size_t rank;
  index_t extent[max_rank]{};

  template <class X> constexpr explicit told_shape(X const& x) : rank(X::rank) {
    for (std::size_t d = 0; d != rank; ++d) extent[d] = x.at(d);
  }
  template <class X> constexpr X as() const {
    if (rank != X::rank)
      throw shape_error("placement: a tensor of rank " + std::to_string(X::rank) +
                        " is told a shape of rank " + std::to_string(rank) +
                        ". Give a shape for each tensor, in the order they are written.");
    dextents<X::rank> given{};
    if constexpr (X::rank != 0)
      for (std::size_t d = 0; d != X::rank; ++d) given.n[d] = extent[d];
    return converted<X>(given);
  }
};

template <class N> constexpr auto told_shape_of(N const& n) {
  if constexpr (requires { n.shape(); }) return n.shape();
  else return extents<>{};
}

template <class E> constexpr void tell(paper<E>& to, told_shape const*& next) {
  static_assert(
      !is_list<E>,
      "placement: how many tensors a list holds is known at run time. Ask plan_of(e, machine).");
  if constexpr (!is_scalar<E>) to.known_shape = (next++)->template as<typename E::extents_type>();
}
template <class E, class D, class P>
constexpr void tell(paper<placed<E, D, P>>& to, told_shape const*& next) {
  tell(to.inner, next);
}
template <class Op, class K, class... A>
constexpr void tell(paper<expr<Op, K, A...>>& to, told_shape const*& next) {
  static_assert(
      std::is_empty_v<Op> && std::is_default_constructible_v<Op>,
      "placement: an op of this expression holds an axis, a range or a shape that its type does not tell. Write axis<1>, or ask plan_of(e, machine).");
  if constexpr (std::is_empty_v<Op> && std::is_default_constructible_v<Op>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (tell(static_cast<slot<I, paper<A>>&>(to.args).value, next), ...);
      if constexpr (has_pattern<Op, map>)
        to.known_shape = broadcast(told_shape_of(to.template arg<I>())...);
      else to.known_shape = Op{}.result(told_shape_of(to.template arg<I>())...);
    }(std::index_sequence_for<A...>{});
  }
}

/// E on paper; where shapes are given, one for each tensor, with the shapes of all its ops.
template <class E, class... X> constexpr paper<E> on_paper_with(X const&... shapes) {
  paper<E> made{};
  if constexpr (sizeof...(X) != 0) {
    static_assert(
        sizeof...(X) == tensors_in<E>(),
        "placement: plan_of takes a shape for each tensor of the expression, in the order they are written.");
    told_shape const told[] = {told_shape(shapes)...};
    told_shape const* next = told;
    if constexpr (sizeof...(X) == tensors_in<E>()) tell(made, next);
  }
  return made;
}

}  // namespace placement::inline v0_1::detail
