#pragma once
/// Gradients of one expression, as expressions: fused, placed and planned like others, computed
/// when they are assigned.

#include <placement/expr/placed.hpp>
#include <placement/gradient/differentiable.hpp>
#include <placement/gradient/relocate.hpp>
#include <placement/gradient/stop_gradient.hpp>
#include <placement/gradient/sum_to_shape.hpp>
#include <placement/gradient/view_gradient.hpp>
#include <placement/ops/constant.hpp>
#include <placement/ops/zeros.hpp>

#include <tuple>

namespace placement { inline namespace v0_1 {

/// A leaf of an expression: a tensor with a number in its type, which gradient<Number>() names.
/// Shape: unchanged.  Type: any.  Kernels: CPU, GPU (pattern view_op).  Cost: nothing.
template <int Number> struct leaf_op {
  static constexpr std::string_view name = "Identity";
  using pattern = view_op;
  static constexpr int leaf_number = Number;

  template <class X> static constexpr X result(X const& x) { return x; }
  template <std::size_t R, class X>
  static constexpr layout<R> moved(layout<R> const& where, X const&) {
    return where;
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> static auto pullback(auto const& g, auto const&...) {
    return g;
  }
};
/// `leaf<0>(w)`.
template <int Number, operand X>
auto leaf(X&& x, site at = site::here()) -> unary<leaf_op<Number>, X> {
  return {{}, at, std::forward<X>(x)};
}

namespace detail {

/// Whether gradients reach leaf<Number> in X.
template <int Number, class X> inline constexpr bool reaches_leaf = false;
template <int Number, class Op, class K, class... A>
inline constexpr bool reaches_leaf<Number, expr<Op, K, A...>> =
    real_number<typename expr<Op, K, A...>::value_type> && !std::is_same_v<Op, stop_gradient_op> &&
    (std::is_same_v<Op, leaf_op<Number>> || (reaches_leaf<Number, A> || ...));
template <int Number, class E, class D, class P>
inline constexpr bool reaches_leaf<Number, placed<E, D, P>> = reaches_leaf<Number, E>;

/// The line of an expression.
template <class E> site line_of(E const& e) {
  if constexpr (is_placed<E>) return e.where;
  else return e.from.where;
}
/// The sum of two gradients, each of which may be zero_gradient.
template <class A, class B> auto added_gradients(A const& a, B const& b) {
  if constexpr (std::is_same_v<A, zero_gradient>) return b;
  else if constexpr (std::is_same_v<B, zero_gradient>) return a;
  else return a + b;
}
template <class G>
inline constexpr bool is_zero_gradient = std::is_same_v<G const, zero_gradient const>;

/// The shape of leaf<Number> in x.
template <int Number, class X> auto shape_of_leaf(X const& x) {
  if constexpr (is_placed<X>) {
    return shape_of_leaf<Number>(x.inner);
  } else if constexpr (std::is_same_v<typename X::op_type, leaf_op<Number>>) {
    return x.shape();
  } else {
    constexpr std::size_t on_path = []<std::size_t... I>(std::index_sequence<I...>) {
      std::size_t first = sizeof...(I);
      ((first = first == sizeof...(I) && reaches_leaf<Number, operand_type<X, I>> ? I : first),
       ...);
      return first;
    }(std::make_index_sequence<X::arity>{});
    return shape_of_leaf<Number>(x.template arg<on_path>());
  }
}

/// The op of the first node on the path to leaf<Number> that has no derivative; void if all have
/// one.
template <int Number, class X> struct without_derivative_by {
  using type = void;
};
template <int Number, class Op, class K, class... A>
requires reaches_leaf<Number, expr<Op, K, A...>>
struct without_derivative_by<Number, expr<Op, K, A...>> {
  using type =
      typename first_of_types<std::conditional_t<has_derivative<expr<Op, K, A...>>, void, Op>,
                              typename without_derivative_by<Number, A>::type...>::type;
};
template <int Number, class E, class D, class P>
struct without_derivative_by<Number, placed<E, D, P>> : without_derivative_by<Number, E> {};

/// The error for an op that has no derivative. Instantiated with the op, so that the compiler names
/// it, and before the derivatives of its neighbours.
template <class Op> struct derivative_of {
  static constexpr bool exists = std::is_void_v<Op>;
  static_assert(exists,
                "placement: this op has no derivative. Write stop_gradient(x) around its operand, "
                "or give the op a pullback.");
};

/// The gradient of leaf<Number> below node e, as an expression. g: the gradient of e. Exact: g has
/// e's shape, and not only one that broadcasts with it.
template <int Number, bool Exact, class E, class G> auto leaf_gradient(E const& e, G const& g);

/// g summed to the shape of e, whose gradient it is.
template <class E, class G> auto gradient_of_shape(E const& e, G const& g) {
  auto sum = sum_to_shape<typename E::kernels>(g, e.shape(), e.from.where);
  relocate<G>(sum, origin_of_gradient<typename E::op_type>(e.from));
  return sum;
}
template <int Number, std::size_t I, bool Exact, class E, class G>
auto operand_gradient(E const& e, G const& g) {
  using X = operand_type<E, I>;
  if constexpr (!reaches_leaf<Number, X>) {
    return zero_gradient{};
  } else if constexpr (moves_elements<typename E::op_type>) {
    auto h = view_gradient(e, g);
    relocate<G>(h, origin_of_gradient<typename E::op_type>(e.from));
    return leaf_gradient<Number, true>(e.template arg<I>(), h);
  } else {
    auto h = pulled_back<I>(e, g, e);
    if constexpr (is_zero_gradient<decltype(h)>) {
      return h;
    } else {
      relocate_pullback<E, G, E>(h, origin_of_gradient<typename E::op_type>(e.from),
                                 std::make_index_sequence<E::arity>{});
      return leaf_gradient<Number, gives_exactly<I, Exact, E, G, decltype(h)>()>(
          e.template arg<I>(), h);
    }
  }
}
template <int Number, bool Exact, class E, class G, std::size_t... I>
auto sum_of_operand_gradients(E const& e, G const& g, std::index_sequence<I...>) {
  auto const sum = []<class First, class... More>(auto const& self, First const& first,
                                                  More const&... more) {
    if constexpr (sizeof...(More) == 0) return first;
    else return added_gradients(first, self(self, more...));
  };
  return sum(sum, operand_gradient<Number, I, Exact>(e, g)...);
}
/// x on the device of on(), as e is.
template <class E, class D, class P, class X> auto pinned_as(placed<E, D, P> const& e, X const& x) {
  return placed<X, D, P>{x, e.requested, e.where};
}
/// g below on(): it runs on the device that its own node requests, and not on that of on(). Numbers
/// of the program run where they are read.
template <class G> auto outside_of_pin(G const& g, site at) {
  if constexpr (is_expr<G>) {
    if constexpr (G::arity == 0) return g;
    else return placed<G, any_device, soft_t>{g, g.from.requested, at};
  } else {
    return g;
  }
}
template <int Number, bool Exact, class E, class G> auto leaf_gradient(E const& e, G const& g) {
  if constexpr (is_placed<E>) {
    auto const inner = leaf_gradient<Number, Exact>(e.inner, outside_of_pin(g, e.where));
    if constexpr (is_zero_gradient<decltype(inner)>) return inner;
    else return pinned_as(e, inner);
  } else {
    using op = typename E::op_type;
    constexpr auto operands = std::make_index_sequence<E::arity>{};
    if constexpr (std::is_same_v<op, leaf_op<Number>>) {
      if constexpr (Exact) return g;
      else return gradient_of_shape(e, g);
    } else if constexpr (Exact || takes_as_it_is<E, G>()) {
      return sum_of_operand_gradients<Number, Exact>(e, g, operands);
    } else {
      return sum_of_operand_gradients<Number, true>(e, gradient_of_shape(e, g), operands);
    }
  }
}

}  // namespace detail

/// The gradient of e, which is one number, by leaf<Number>. Nothing is computed: the result is an
/// expression of the leaf's shape and type, which can be differentiated again.
/// Cost: kernels of e that several derivatives read run once; element-wise ops are computed in each
/// kernel that reads them. A gradient_tape stores the values of statements.
template <int Number, lazy E> auto gradient(E const& e) {
  using T = typename E::value_type;
  static_assert(E::rank == 0,
                "placement: a gradient is of one number. Write gradient<0>(sum(e)), or mean(e).");
  static_assert(detail::reaches_leaf<Number, E>,
                "placement: this expression does not depend on that leaf. Write leaf<0>(w) where "
                "it reads w.");
  auto const one = expr<constant_op<T, extents<>>, kernels_here>{{{}, T{1}}, detail::line_of(e)};
  using missing = typename detail::without_derivative_by<Number, E>::type;
  if constexpr (!detail::derivative_of<missing>::exists) {
    return one;
  } else {
    auto const g = detail::leaf_gradient<Number, true>(e, one);
    if constexpr (detail::is_zero_gradient<decltype(g)>)
      return zeros<T>(detail::shape_of_leaf<Number>(e), detail::line_of(e));
    else return g;
  }
}
/// The gradients of f(x...), which is one number, by each x, as a tuple of expressions:
/// `auto [dw, db] = gradient_of(f, w, b)`. f: a function of any operands that gives an expression.
template <class F, operand... X> auto gradient_of(F const& f, X const&... x) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const e = f(leaf<static_cast<int>(I)>(x, site{})...);
    return std::tuple{gradient<static_cast<int>(I)>(e)...};
  }(std::index_sequence_for<X...>{});
}

/// The value of f(x...), which is one number, and its gradients by each x, as a tuple of
/// expressions: `auto [loss, dw, db] = value_and_gradient(f, w, b)`. Nothing is computed.
/// Cost: `evaluate(into(l) = loss, into(gw) = dw, into(gb) = db)` runs products and reductions that
/// several of them read once. Separate evaluations each compute what they read of f.
template <class F, operand... X> auto value_and_gradient(F const& f, X const&... x) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const e = f(leaf<static_cast<int>(I)>(x, site{})...);
    return std::tuple{e, gradient<static_cast<int>(I)>(e)...};
  }(std::index_sequence_for<X...>{});
}

}}  // namespace placement::v0_1
