#pragma once
/// Finds common subexpressions of the block kernels of several results: equal types over equal
/// operands. They are computed once.

#include <placement/cpu/block_expr.hpp>

#include <concepts>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- equality of two expressions of one type

template <class Op> constexpr bool same_op(Op const& a, Op const& b) {
  if constexpr (std::is_empty_v<Op>) return true;
  else if constexpr (requires {
                       { a == b } -> std::convertible_to<bool>;
                     })
    return a == b;
  else return false;
}
/// Whether two operands are the same elements in the same layout.
bool same_operand(block_operand const& a, block_operand const& b);

/// Whether two expressions are equal. a, b: their operands, one for each slot.
template <class S>
bool same_expr(S const&, S const&, block_operand const*& a, block_operand const*& b) {
  return same_operand(*a++, *b++);
}
template <class T>
bool same_expr(scalar<T> const& x, scalar<T> const& y, block_operand const*&,
               block_operand const*&) {
  return x.v == y.v;
}
template <class Op>
bool same_expr(generator_slot<Op> const& x, generator_slot<Op> const& y, block_operand const*& a,
               block_operand const*& b) {
  return same_operand(*a++, *b++) && same_op(x.op, y.op);
}
template <bool Gpu, class Op, class... A>
bool same_expr(bound_expr<Gpu, Op, A...> const& x, bound_expr<Gpu, Op, A...> const& y,
               block_operand const*& a, block_operand const*& b) {
  return same_op(x.op, y.op) && [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (same_expr(slot_value<I>(x.args), slot_value<I>(y.args), a, b) && ...);
  }(std::index_sequence_for<A...>{});
}

// ---- expressions that occur more than once, by type

template <class... B> struct expr_list {};

/// Whether expression B occurs in S.
template <class B, class S> inline constexpr bool occurs = std::is_same_v<B, S>;
template <class B, bool Gpu, class Op, class... A>
inline constexpr bool occurs<B, bound_expr<Gpu, Op, A...>> =
    std::is_same_v<B, bound_expr<Gpu, Op, A...>> || (occurs<B, A> || ...);

template <class List, class B> struct with_expr;
template <class... L, class B> struct with_expr<expr_list<L...>, B> {
  using type =
      std::conditional_t<(std::is_same_v<L, B> || ...), expr_list<L...>, expr_list<L..., B>>;
};
/// Adds to List the largest subexpressions of S that also occur in one of `Earlier`.
template <class List, class S, class... Earlier> struct repeated_in {
  using type = List;
};
template <class List, class Args, class... Earlier> struct repeated_in_each {
  using type = List;
};
template <class List, class A, class... More, class... Earlier>
struct repeated_in_each<List, expr_list<A, More...>, Earlier...> {
  using type = typename repeated_in_each<typename repeated_in<List, A, Earlier...>::type,
                                         expr_list<More...>, Earlier...>::type;
};
template <class List, bool Gpu, class Op, class... A, class... Earlier>
requires(occurs<bound_expr<Gpu, Op, A...>, Earlier> || ...)
struct repeated_in<List, bound_expr<Gpu, Op, A...>, Earlier...>
    : with_expr<List, bound_expr<Gpu, Op, A...>> {};
template <class List, bool Gpu, class Op, class... A, class... Earlier>
requires(!(occurs<bound_expr<Gpu, Op, A...>, Earlier> || ...))
struct repeated_in<List, bound_expr<Gpu, Op, A...>, Earlier...>
    : repeated_in_each<List, expr_list<A...>, Earlier...> {};

template <class List, class Earlier, class... S> struct repeated_among {
  using type = List;
};
template <class List, class... Earlier, class S, class... More>
struct repeated_among<List, expr_list<Earlier...>, S, More...>
    : repeated_among<typename repeated_in<List, S, Earlier...>::type, expr_list<Earlier..., S>,
                     More...> {};
/// The largest subexpressions that occur in more than one of S..., by type.
template <class... S>
using common_exprs = typename repeated_among<expr_list<>, expr_list<>, S...>::type;

/// Tests whether all occurrences of B have equal operands.
template <class B> struct occurrences {
  B const* first = nullptr;
  block_operand const* operands = nullptr;  ///< of `first`

  /// at: the operands of s. Moves it behind them.
  template <class S> bool are_same_in(S const& s, block_operand const*& at) {
    if constexpr (std::is_same_v<S, B>) {
      block_operand const* const of_s = at;
      at += slots_in<S>;
      if (first == nullptr) {
        first = &s;
        operands = of_s;
        return true;
      }
      block_operand const *a = operands, *b = of_s;
      return same_expr(*first, s, a, b);
    } else if constexpr (occurs<B, S>) {
      return are_same_below(s, at);
    } else {
      at += slots_in<S>;
      return true;
    }
  }

 private:
  template <bool Gpu, class Op, class... A>
  bool are_same_below(bound_expr<Gpu, Op, A...> const& s, block_operand const*& at) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (are_same_in(slot_value<I>(s.args), at) && ...);
    }(std::index_sequence_for<A...>{});
  }
};
/// Whether each expression of the list has equal operands wherever it occurs in `all`. operands:
/// those of all slots.
template <class... B, std::size_t... N, class... S>
bool are_shared(expr_list<B...>, pack_of<std::index_sequence<N...>, S...> const& all,
                block_operand const* operands) {
  [[maybe_unused]] auto const one = [&]<class Each>(occurrences<Each> found) {
    block_operand const* at = operands;
    return (found.are_same_in(slot_value<N>(all), at) && ...);
  };
  return (one(occurrences<B>{}) && ...);
}

}}}  // namespace placement::v0_1::detail
