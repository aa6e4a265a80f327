#pragma once
/// Finds common subexpressions of several bound expressions: equal types over equal operands. They
/// are computed once.

#include <placement/kernels/bound_expr.hpp>

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
template <std::size_t R> constexpr bool same_layout(layout<R> const& a, layout<R> const& b) {
  for (std::size_t d = 0; d != layout<R>::slots; ++d)
    if (a.stride[d] != b.stride[d]) return false;
  return a.base == b.base;
}
template <class T> constexpr bool same_expr(scalar<T> const& a, scalar<T> const& b) {
  return a.v == b.v;
}
template <class T> constexpr bool same_expr(dense_leaf<T> const& a, dense_leaf<T> const& b) {
  return a.p == b.p;
}
template <class T> constexpr bool same_expr(single_leaf<T> const& a, single_leaf<T> const& b) {
  return a.p == b.p;
}
template <class Op>
constexpr bool same_expr(index_generator<Op> const& a, index_generator<Op> const& b) {
  return same_op(a.op, b.op);
}
template <class Reader, std::size_t R>
constexpr bool same_expr(strided_load<Reader, R> const& a, strided_load<Reader, R> const& b);
template <class Child, class X>
constexpr bool same_expr(reshaped_expr<Child, X> const& a, reshaped_expr<Child, X> const& b);
template <bool Gpu, class Op, class... A>
constexpr bool same_expr(bound_expr<Gpu, Op, A...> const& a, bound_expr<Gpu, Op, A...> const& b) {
  return same_op(a.op, b.op) && [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (same_expr(a.args.template get<I>(), b.args.template get<I>()) && ...);
  }(std::index_sequence_for<A...>{});
}
template <class Reader, std::size_t R>
constexpr bool same_expr(strided_load<Reader, R> const& a, strided_load<Reader, R> const& b) {
  return same_layout(a.where, b.where) && same_expr(a.read, b.read);
}
template <class Child, class X>
constexpr bool same_expr(reshaped_expr<Child, X> const& a, reshaped_expr<Child, X> const& b) {
  return a.shape == b.shape && same_expr(a.child, b.child);
}

// ---- expressions that occur more than once, by type

template <class... B> struct expr_list {};

/// Whether expression B occurs in F.
template <class B, class F> inline constexpr bool occurs = std::is_same_v<B, F>;
template <class B, bool Gpu, class Op, class... A>
inline constexpr bool occurs<B, bound_expr<Gpu, Op, A...>> =
    std::is_same_v<B, bound_expr<Gpu, Op, A...>> || (occurs<B, A> || ...);

template <class List, class B> struct with_expr;
template <class... L, class B> struct with_expr<expr_list<L...>, B> {
  using type =
      std::conditional_t<(std::is_same_v<L, B> || ...), expr_list<L...>, expr_list<L..., B>>;
};
/// Adds to List the largest subexpressions of F that also occur in one of `Earlier`.
template <class List, class F, class... Earlier> struct repeated_in {
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

template <class List, class Earlier, class... F> struct repeated_among {
  using type = List;
};
template <class List, class... Earlier, class F, class... More>
struct repeated_among<List, expr_list<Earlier...>, F, More...>
    : repeated_among<typename repeated_in<List, F, Earlier...>::type, expr_list<Earlier..., F>,
                     More...> {};
/// The largest subexpressions that occur in more than one of F..., by type.
template <class... F>
using common_exprs = typename repeated_among<expr_list<>, expr_list<>, F...>::type;

/// Whether each occurrence of B in f equals `first`. Sets `first` if it is null.
template <class B, class F> constexpr bool always_same(F const& f, B const*& first) {
  if constexpr (std::is_same_v<B, F>) {
    if (first == nullptr) first = &f;
    return same_expr(f, *first);
  } else if constexpr (occurs<B, F>) {
    return [&]<bool Gpu, class Op, class... A, std::size_t... I>(bound_expr<Gpu, Op, A...> const& n,
                                                                 std::index_sequence<I...>) {
      return (always_same(n.args.template get<I>(), first) && ...);
    }(f, std::make_index_sequence<decltype(f.args)::size>{});
  } else {
    return true;
  }
}
template <class... B, class... F>
constexpr bool are_shared(expr_list<B...>, [[maybe_unused]] F const&... f) {
  auto const one = [&]<class Each>(Each const* first) { return (always_same(f, first) && ...); };
  return (one(static_cast<B const*>(nullptr)) && ...);
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

/// Element i of f. `known` has values of subexpressions at i. F: the type of the bound expression
/// that f reads; f is that expression, or the same over the operands of a block.
template <class F, class Staged, class Known>
[[gnu::always_inline]] constexpr auto value_of(Staged const& f, index_t i, Known const& known) {
  if constexpr (is_known<F, Known>) return value_known<F>(known);
  else return value_below(static_cast<F const*>(nullptr), f, i, known);
}
template <class F, class Staged, class Known>
[[gnu::always_inline]] constexpr auto value_below(F const*, Staged const& f, index_t i,
                                                  Known const&) {
  return f(i);
}
template <bool Gpu, class Op, class... A, class Staged, class Known>
[[gnu::always_inline]] constexpr auto value_below(bound_expr<Gpu, Op, A...> const*, Staged const& f,
                                                  index_t i, Known const& known) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return f.op(value_of<A>(f.args.template get<I>(), i, known)...);
  }(std::index_sequence_for<A...>{});
}

/// The subexpression B in f, which reads F.
template <class B, class F, std::size_t I = 0, class Staged>
constexpr auto const& expr_in(Staged const& f) {
  if constexpr (std::is_same_v<B, F>) {
    return f;
  } else {
    using A = std::remove_cvref_t<decltype(std::declval<F const&>().args.template get<I>())>;
    if constexpr (occurs<B, A>) return expr_in<B, A>(f.args.template get<I>());
    else return expr_in<B, F, I + 1>(f);
  }
}
/// The same in the first expression of the list that contains B. `all`: the expressions, or the
/// same over the operands of a block.
template <class B, std::size_t I = 0, class F, class... More, class Staged>
constexpr auto const& expr_among(expr_list<F, More...>, Staged const& all) {
  if constexpr (occurs<B, F>) return expr_in<B, F>(all.template get<I>());
  else return expr_among<B, I + 1>(expr_list<More...>{}, all);
}

/// Element i of the common subexpressions.
template <class... B, class Of, class Staged>
[[gnu::always_inline]] constexpr auto values_known(expr_list<B...>, Of of, Staged const& all,
                                                   index_t i) {
  return known_values<known_value<B, decltype(expr_among<B>(of, all)(i))>...>{
      {expr_among<B>(of, all)(i)}...};
}

}}}  // namespace placement::v0_1::detail
