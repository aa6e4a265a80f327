#pragma once
/// Finds common subexpressions of the block kernels of several results: equal types over equal
/// operands. They are computed once.

#include <placement/cpu/block_packs.hpp>

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
    return (same_expr(x.args.template get<I>(), y.args.template get<I>(), a, b) && ...);
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
      return (are_same_in(s.args.template get<I>(), at) && ...);
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
    return (found.are_same_in(all.template get<N>(), at) && ...);
  };
  return (one(occurrences<B>{}) && ...);
}

// ---- evaluation with known values of common subexpressions

/// The value of one expression.
template <class B, class V> struct known_value {
  V value;
};
/// The values of several expressions.
template <class... K> struct known_values : K... {};

template <class B, class V> constexpr V const& value_known(known_value<B, V> const& k) {
  return k.value;
}
template <class B, class Known> concept is_known = requires(Known const& k) { value_known<B>(k); };

/// The N elements of f from i on, as a pack; for N = 1 element i.
template <int N, class F> [[gnu::always_inline]] inline auto lanes_at(F const& f, index_t i) {
  if constexpr (N == 1) return f(i);
  else return pack_at<N>(f, i);
}
/// The same where `known` has values of subexpressions at i. S: the expression with slots; f: the
/// same over the operands of a block.
template <int N, class S, class F, class Known>
[[gnu::always_inline]] inline auto value_of(F const& f, index_t i, Known const& known) {
  if constexpr (is_known<S, Known>) return value_known<S>(known);
  else return value_below<N>(static_cast<S const*>(nullptr), f, i, known);
}
template <int N, class S, class F, class Known>
[[gnu::always_inline]] inline auto value_below(S const*, F const& f, index_t i, Known const&) {
  return lanes_at<N>(f, i);
}
template <int N, bool Gpu, class Op, class... A, class F, class Known>
[[gnu::always_inline]] inline auto value_below(bound_expr<Gpu, Op, A...> const*, F const& f,
                                               index_t i, Known const& known) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    if constexpr (N == 1) return f.op(value_of<N, A>(f.args.template get<I>(), i, known)...);
    else return simd::apply(f.op, value_of<N, A>(f.args.template get<I>(), i, known)...);
  }(std::index_sequence_for<A...>{});
}

/// The subexpression B in f, which is S over the operands of a block.
template <class B, class S, std::size_t I = 0, class F> constexpr auto const& expr_in(F const& f) {
  if constexpr (std::is_same_v<B, S>) {
    return f;
  } else {
    using A = std::remove_cvref_t<decltype(std::declval<S const&>().args.template get<I>())>;
    if constexpr (occurs<B, A>) return expr_in<B, A>(f.args.template get<I>());
    else return expr_in<B, S, I + 1>(f);
  }
}
/// The same in the first expression of the list that contains B.
template <class B, std::size_t I = 0, class S, class... More, class All>
constexpr auto const& expr_among(expr_list<S, More...>, All const& all) {
  if constexpr (occurs<B, S>) return expr_in<B, S>(all.template get<I>());
  else return expr_among<B, I + 1>(expr_list<More...>{}, all);
}

/// The values of the common subexpressions at i.
template <int N, class... B, class Of, class All>
[[gnu::always_inline]] inline auto values_known(expr_list<B...>, Of of, All const& all, index_t i) {
  return known_values<known_value<B, decltype(lanes_at<N>(expr_among<B>(of, all), i))>...>{
      {lanes_at<N>(expr_among<B>(of, all), i)}...};
}

}}}  // namespace placement::v0_1::detail
