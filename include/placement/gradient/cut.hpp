#pragma once
/// The parts of a statement that a gradient tape computes as tensors of their own: those whose
/// value a pullback reads, and that are not recomputed with it.

#include <placement/gradient/differentiable.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// A node that is not recomputed where it is read again.
template <class X>
inline constexpr bool is_costly = matmul_node<X> || reduce_node<X> || custom_node<X>;
template <class X> inline constexpr bool has_costly = false;
template <class Op, class K, class... A>
inline constexpr bool has_costly<expr<Op, K, A...>> =
    is_costly<expr<Op, K, A...>> || (has_costly<A> || ...);

template <class E> struct pullbacks_of;
template <class Op, class K, class... A> struct pullbacks_of<expr<Op, K, A...>> {
  /// The number of operands that a gradient flows to.
  static constexpr std::size_t paths = (std::size_t{0} + ... + (has_path<A> ? 1 : 0));
  static constexpr bool has_costly_below = (has_costly<A> || ...);
  template <class... B> using with = expr<Op, K, B...>;

  /// Whether a pullback of this node reads the value of operand J.
  template <std::size_t J> static constexpr bool reads() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return ((has_path<A> && reads_of_pullback<Op>::template operand<I, J>) || ...);
    }(std::index_sequence_for<A...>{});
  }
};

/// Whether the pullback of an element-wise node reads its result, which is computed again.
template <class A> constexpr bool reads_own_result() {
  if constexpr (is_expr<A>) return has_path<A> && reads_of_pullback<typename A::op_type>::result;
  else return false;
}
/// Whether operand J of E is cut. IsRead: a pullback reads the value of E.
template <class E, bool IsRead, std::size_t J> constexpr bool is_cut() {
  using A = operand_type<E, J>;
  constexpr bool read = IsRead || pullbacks_of<E>::template reads<J>();
  if constexpr (is_placed<A> || is_reference<A>) return true;  // a reference becomes a handle
  else if constexpr (!is_expr<A>) return false;
  else if constexpr (is_costly<A>) return read || reads_own_result<A>();
  else return read && (matmul_node<E> || custom_node<E>) && !is_viewable<A>;
}
/// Whether a pullback reads the value of operand J of E, which is not cut.
template <class E, bool IsRead, std::size_t J> constexpr bool is_read_below() {
  return IsRead || pullbacks_of<E>::template reads<J>() || reads_own_result<operand_type<E, J>>();
}

template <class E, bool IsRead> constexpr bool has_cut();
template <class E, bool IsRead, std::size_t J> constexpr bool has_cut_at() {
  using A = operand_type<E, J>;
  if constexpr (is_cut<E, IsRead, J>()) return true;
  else if constexpr (is_expr<A>) return has_cut<A, is_read_below<E, IsRead, J>()>();
  else return false;
}
template <class E, bool IsRead> constexpr bool has_cut() {
  if constexpr (is_expr<E>)
    return []<std::size_t... J>(std::index_sequence<J...>) {
      return (has_cut_at<E, IsRead, J>() || ...);
    }(std::make_index_sequence<E::arity>{});
  else return false;
}

template <bool IsRead, class E, class Keep> auto with_cuts(E const& e, Keep const& keep);
/// Operand J of e: the tensor of a cut, or the operand with its own cuts.
template <class E, bool IsRead, std::size_t J, class Keep>
auto operand_with_cuts(E const& e, Keep const& keep) {
  using A = operand_type<E, J>;
  auto const& x = e.template arg<J>();
  if constexpr (is_cut<E, IsRead, J>()) return keep(x);
  else if constexpr (is_expr<A>) return with_cuts<is_read_below<E, IsRead, J>()>(x, keep);
  else return A(x);
}
/// The same expression with `keep(part)`, a tensor, in place of each part that is cut.
template <bool IsRead, class E, class Keep> auto with_cuts(E const& e, Keep const& keep) {
  if constexpr (!has_cut<E, IsRead>()) {
    return E(e);
  } else {
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      using made = typename pullbacks_of<E>::template with<decltype(operand_with_cuts<E, IsRead, J>(
          e, keep))...>;
      made n{e.op, e.from.where, operand_with_cuts<E, IsRead, J>(e, keep)...};
      n.from = e.from;
      return n;
    }(std::make_index_sequence<E::arity>{});
  }
}

}}}  // namespace placement::v0_1::detail
