#pragma once
/// A block kernel by stages: ops with a loop of their own (cpu/math_loops.hpp) are computed into
/// memory in the first cache, and the rest of the expression reads it.

#include <placement/cpu/block_expr.hpp>
#include <placement/cpu/element_loops.hpp>
#include <placement/cpu/math_loops.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Elements of a stage.
inline constexpr index_t stage_length = 256;

/// An op with a loop over complex operands declares `has_complex_loop`. ops/complex.hpp has what
/// calls it (cpu/complex_stages.hpp).
template <class Op> concept declares_complex_loop = Op::has_complex_loop;
/// Whether op Op with operands A is such a loop.
template <class Op, class... A> inline constexpr bool is_complex_loop = false;
template <declares_complex_loop Op, class A, class... More>
inline constexpr bool is_complex_loop<Op, A, More...> =
    is_complex<decltype(std::declval<A const&>()(index_t{}))>;

/// Whether packs of op Op with operands A are computed by Op::by_number(x, number): its second
/// operand is one number. An op declares `has_number_formula`.
template <class Op, class... A> inline constexpr bool is_by_number = false;
template <class Op, class A, class T> requires Op::has_number_formula
inline constexpr bool is_by_number<Op, A, scalar<T>> = true;

/// Whether an op is a loop over operands of its result's type.
template <class F> inline constexpr bool is_math_loop = false;
template <bool Gpu, class Op, class... A>
inline constexpr bool is_math_loop<bound_expr<Gpu, Op, A...>> =
    has_loop<Op, decltype(std::declval<bound_expr<Gpu, Op, A...> const&>()(index_t{}))> &&
    !is_by_number<Op, A...>;

template <class Op> using generated = decltype(std::declval<Op const&>()(index_t{}));
/// Whether consecutive elements of an index generator are a loop of the library. The generator
/// declares it: generator_loop(to, first, n).
template <class Op> concept has_generator_loop =
    calls_math_loops &&
    requires(Op const& op, generated<Op>* to, index_t n) { op.generator_loop(to, n, n); };

/// Whether an op of bound expression F has a loop that this file calls.
template <class F> inline constexpr bool has_stages = false;
template <class Op>
inline constexpr bool has_stages<consecutive_generator<Op>> = has_generator_loop<Op>;
template <bool Gpu, class Op, class... A>
inline constexpr bool has_stages<bound_expr<Gpu, Op, A...>> =
    (calls_math_loops && is_math_loop<bound_expr<Gpu, Op, A...>>) || is_complex_loop<Op, A...> ||
    (has_stages<A> || ...);

template <class T> inline constexpr bool is_dense_leaf = false;
template <class T> inline constexpr bool is_dense_leaf<dense_leaf<T>> = true;

/// The memory for the stages of an expression. Loop::write(to, n, f) computes what has no loop of
/// its own. at(f, i, n): the expression of the elements from i on; its stages are computed for n.
template <class Loop, class F> struct stage_of;
template <class Loop, class T> struct stage_of<Loop, scalar<T>> {
  PLACEMENT_ALWAYS_INLINE scalar<T> at(scalar<T> const& s, index_t, index_t) { return s; }
};
template <class Loop, class T> struct stage_of<Loop, dense_leaf<T>> {
  PLACEMENT_ALWAYS_INLINE dense_leaf<T> at(dense_leaf<T> const& l, index_t i, index_t) {
    return {l.p + i};
  }
};
template <class Loop, class Op> struct stage_of<Loop, consecutive_generator<Op>> {
  PLACEMENT_ALWAYS_INLINE consecutive_generator<Op> at(consecutive_generator<Op> const& g,
                                                       index_t i, index_t) {
    return {g.op, g.first + i};
  }
};
template <class Loop, has_generator_loop Op> struct stage_of<Loop, consecutive_generator<Op>> {
  using T = generated<Op>;
  alignas(64) T elements[static_cast<std::size_t>(stage_length)];

  PLACEMENT_ALWAYS_INLINE void write(T* to, consecutive_generator<Op> const& g, index_t i,
                                     index_t n) {
    g.op.generator_loop(to, g.first + i, n);
  }
  PLACEMENT_ALWAYS_INLINE dense_leaf<T> at(consecutive_generator<Op> const& g, index_t i,
                                           index_t n) {
    write(elements, g, i, n);
    return {elements};
  }
};
template <class Loop, class Op> struct stage_of<Loop, numbered_generator<Op>> {
  PLACEMENT_ALWAYS_INLINE numbered_generator<Op> at(numbered_generator<Op> const& g, index_t i,
                                                    index_t) {
    return {g.op, g.number + i};
  }
};
template <class Loop, bool Gpu, class Op, class... A>
struct stage_of<Loop, bound_expr<Gpu, Op, A...>> {
  pack<stage_of<Loop, A>...> below;

  PLACEMENT_ALWAYS_INLINE auto at(bound_expr<Gpu, Op, A...> const& f, index_t i, index_t n) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) PLACEMENT_ALWAYS_INLINE {
      return bound_expr<false, Op,
                        decltype(slot_value<I>(below).at(slot_value<I>(f.args), i, n))...>{
          f.op, {{slot_value<I>(below).at(slot_value<I>(f.args), i, n)}...}};
    }(std::index_sequence_for<A...>{});
  }
};

/// The operand of a loop: its elements in memory, which are those of a leaf or are written to `to`.
template <class Loop, class T, class F>
PLACEMENT_ALWAYS_INLINE inline T const* stage_operand(T* to, index_t n, F const& f) {
  if constexpr (is_dense_leaf<F>) return f.p;
  else Loop::write(to, n, f);
  return to;
}
/// Ops with a loop. write: their results to `to`, which may be an operand of the block.
template <class Loop, bool Gpu, class Op, class... A>
requires is_math_loop<bound_expr<Gpu, Op, A...>>
struct stage_of<Loop, bound_expr<Gpu, Op, A...>> {
  using expression = bound_expr<Gpu, Op, A...>;
  using T = decltype(std::declval<expression const&>()(index_t{}));
  using elements = T[static_cast<std::size_t>(stage_length)];

  pack<stage_of<Loop, A>...> below;
  alignas(64) elements operand[sizeof...(A)];

  PLACEMENT_ALWAYS_INLINE void write(T* to, expression const& f, index_t i, index_t n) {
    [&]<std::size_t... I>(std::index_sequence<I...>) PLACEMENT_ALWAYS_INLINE {
      run_loop(f.op, to, n,
               stage_operand<Loop>(operand[I], n,
                                   slot_value<I>(below).at(slot_value<I>(f.args), i, n))...);
    }(std::index_sequence_for<A...>{});
  }
  PLACEMENT_ALWAYS_INLINE dense_leaf<T> at(expression const& f, index_t i, index_t n) {
    write(operand[0], f, i, n);
    return {operand[0]};
  }
};

/// What the loop of an op reads: the address of an operand in memory, or a number.
template <class T> PLACEMENT_ALWAYS_INLINE inline T const* loop_argument(dense_leaf<T> const& l) {
  return l.p;
}
template <class T> PLACEMENT_ALWAYS_INLINE inline T loop_argument(scalar<T> const& s) {
  return s.v;
}
/// Whether expression F with results of type R is one op over operands in memory and numbers, for
/// which op.array_loop(to, x..., n) is a loop. Beside other ops such an op is computed by packs.
template <class R, class F> inline constexpr bool has_array_loop = false;
template <class R, bool Gpu, class Op, class... A>
inline constexpr bool has_array_loop<R, bound_expr<Gpu, Op, A...>> =
    calls_math_loops && requires(Op const& op, R* to, A const&... x, index_t n) {
      op.array_loop(to, loop_argument(x)..., n);
    };
template <class R, bool Gpu, class Op, class... A>
PLACEMENT_ALWAYS_INLINE inline void run_array_loop(R* to, index_t n,
                                                   bound_expr<Gpu, Op, A...> const& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) PLACEMENT_ALWAYS_INLINE {
    f.op.array_loop(to, loop_argument(slot_value<I>(f.args))..., n);
  }(std::index_sequence_for<A...>{});
}

/// Whether F is one op with a loop over rows. An array is one row, in which a number repeats.
template <class R, class F> inline constexpr bool is_row_of_array = false;
template <class R, bool Gpu, class Op, class A, class B>
requires(is_dense_leaf<A> || is_dense_leaf<B>) && requires(A const& a, B const& b) {
  Op::template row_loop<R>;
  loop_argument(a);
  loop_argument(b);
}
inline constexpr bool is_row_of_array<R, bound_expr<Gpu, Op, A, B>> = calls_math_loops;

template <class R, bool Gpu, class Op, class A, class B>
PLACEMENT_ALWAYS_INLINE inline void run_row_of_array(R* to, index_t n,
                                                     bound_expr<Gpu, Op, A, B> const& f) {
  auto const row = [&](void const* x, void const* y) PLACEMENT_ALWAYS_INLINE {
    Op::template row_loop<R>({to, 0, x, 0, !is_dense_leaf<A>, y, 0, !is_dense_leaf<B>, 1, n});
  };
  A const& a = slot_value<0>(f.args);
  B const& b = slot_value<1>(f.args);
  if constexpr (!is_dense_leaf<A>) row(&a.v, b.p);
  else if constexpr (!is_dense_leaf<B>) row(a.p, &b.v);
  else row(a.p, b.p);
}

/// Whether an expression is a loop over operands in memory, or a generator.
template <class F> inline constexpr bool is_one_loop = false;
template <class Op>
inline constexpr bool is_one_loop<consecutive_generator<Op>> = has_generator_loop<Op>;
template <bool Gpu, class Op, class... A>
inline constexpr bool is_one_loop<bound_expr<Gpu, Op, A...>> =
    (is_math_loop<bound_expr<Gpu, Op, A...>> || is_complex_loop<Op, A...>) &&
    (is_dense_leaf<A> && ...);

/// to[j] = f(i + j) for j below n, which is a stage.
template <class Loop, class R, class F>
PLACEMENT_ALWAYS_INLINE inline void write_stage(stage_of<Loop, F>& stages, R* to, F const& f,
                                                index_t i, index_t n) {
  if constexpr (requires { stages.write(to, f, i, n); }) stages.write(to, f, i, n);
  else Loop::write(to, n, stages.at(f, i, n));
}
/// Calls f(i, n) for the stages of n elements: the first element of each, and how many it has.
template <class F> PLACEMENT_ALWAYS_INLINE inline void each_stage(index_t n, F const& f) {
  for (index_t i = 0; i < n; i += stage_length) f(i, n - i < stage_length ? n - i : stage_length);
}

/// to[i] = f(i) for i below n, by stages.
template <class Loop, class R, class F>
PLACEMENT_ALWAYS_INLINE inline void write_stages(R* to, index_t n, F const& f) {
  stage_of<Loop, F> stages;
  if constexpr (is_one_loop<F>) stages.write(to, f, 0, n);
  else
    each_stage(n, [&](index_t i, index_t length)
                      PLACEMENT_ALWAYS_INLINE { write_stage<Loop>(stages, to + i, f, i, length); });
}

}}}  // namespace placement::v0_1::detail
