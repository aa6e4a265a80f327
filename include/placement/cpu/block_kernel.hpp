#pragma once
/// The block kernel of a fused expression: one function over operands whose elements lie side by
/// side. Each expression compiles this function and no other loop. map_blocks.hpp calls it for any
/// shape: it resolves broadcasting and strides, and shares the work among threads.

#include <placement/cpu/loop.hpp>
#include <placement/kernels/bound_expr.hpp>
#include <placement/kernels/simd.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// An operand of a block: elements from `data` on. Of an index generator the element numbers from
/// `data` on, or first, first + 1, ... where `data` is null.
struct block_input {
  void const* data = nullptr;
  index_t first = 0;
};
/// Writes n elements of an expression to `out`.
using block_function = void (*)(void const* expr, void* out, block_input const* in, index_t n);

// ---- an expression without the addresses of its operands

template <class T> struct memory_slot {};
/// An operand of rank 0.
template <class T> struct single_slot {};
template <class Op> struct generator_slot {
  [[no_unique_address]] Op op;
};

/// F: a bound expression. type: the same with slots for its operands; of(f): its value.
template <class F> struct slotted;
template <class F> using block_expr = typename slotted<F>::type;

template <class T> struct slotted<scalar<T>> {
  using type = scalar<T>;
  static constexpr type of(scalar<T> const& s) { return s; }
};
template <class T> struct slotted<dense_leaf<T>> {
  using type = memory_slot<T>;
  static constexpr type of(dense_leaf<T> const&) { return {}; }
};
template <class T> struct slotted<single_leaf<T>> {
  using type = single_slot<T>;
  static constexpr type of(single_leaf<T> const&) { return {}; }
};
template <class Op> struct slotted<index_generator<Op>> {
  using type = generator_slot<Op>;
  static constexpr type of(index_generator<Op> const& g) { return {g.op}; }
};
template <class Reader, std::size_t R> struct slotted<strided_load<Reader, R>> {
  using type = block_expr<Reader>;
  static constexpr type of(strided_load<Reader, R> const& l) { return slotted<Reader>::of(l.read); }
};
template <class Child, class X> struct slotted<reshaped_expr<Child, X>> {
  using type = block_expr<Child>;
  static constexpr type of(reshaped_expr<Child, X> const& r) { return slotted<Child>::of(r.child); }
};
template <bool Gpu, class Op, class... A> struct slotted<bound_expr<Gpu, Op, A...>> {
  using type = bound_expr<false, Op, block_expr<A>...>;
  static constexpr type of(bound_expr<Gpu, Op, A...> const& f) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return type{f.op, {{slotted<A>::of(f.args.template get<I>())}...}};
    }(std::index_sequence_for<A...>{});
  }
};

/// How many operands an expression has slots for.
template <class S> inline constexpr unsigned slots_in = 1;
template <class T> inline constexpr unsigned slots_in<scalar<T>> = 0;
template <bool Gpu, class Op, class... A>
inline constexpr unsigned slots_in<bound_expr<Gpu, Op, A...>> = (0U + ... + slots_in<A>);

template <class S> inline constexpr bool has_generator = false;
template <class Op> inline constexpr bool has_generator<generator_slot<Op>> = true;
template <bool Gpu, class Op, class... A>
inline constexpr bool has_generator<bound_expr<Gpu, Op, A...>> = (has_generator<A> || ...);

// ---- the expression over the operands of a block

/// An index generator of consecutive element numbers.
template <class Op> struct consecutive_generator {
  [[no_unique_address]] Op op;
  index_t first;
  [[gnu::always_inline]] auto operator()(index_t i) const { return op(first + i); }
};
/// An index generator of element numbers in memory.
template <class Op> struct numbered_generator {
  [[no_unique_address]] Op op;
  index_t const* number;
  [[gnu::always_inline]] auto operator()(index_t i) const { return op(number[i]); }
};

/// Takes one input for each slot, from left to right. Consecutive: the numbers of all index
/// generators are.
template <bool Consecutive, class T>
constexpr scalar<T> bind_block(scalar<T> const& s, block_input const*&) {
  return s;
}
template <bool Consecutive, class T>
dense_leaf<T> bind_block(memory_slot<T>, block_input const*& in) {
  return {static_cast<T const*>((in++)->data)};
}
template <bool Consecutive, class T> scalar<T> bind_block(single_slot<T>, block_input const*& in) {
  return {*static_cast<T const*>((in++)->data)};
}
template <bool Consecutive, class Op>
auto bind_block(generator_slot<Op> const& g, block_input const*& in) {
  block_input const& numbers = *in++;
  if constexpr (Consecutive) return consecutive_generator<Op>{g.op, numbers.first};
  else return numbered_generator<Op>{g.op, static_cast<index_t const*>(numbers.data)};
}
template <bool Consecutive, bool Gpu, class Op, class... A>
auto bind_block(bound_expr<Gpu, Op, A...> const& f, block_input const*& in) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return bound_expr<false, Op,
                      decltype(bind_block<Consecutive>(f.args.template get<I>(), in))...>{
        f.op, {{bind_block<Consecutive>(f.args.template get<I>(), in)}...}};
  }(std::index_sequence_for<A...>{});
}

// ---- ops that are slow for some numbers

/// Does the op call a function for some numbers of type T, which no vector loop can do? Such an op
/// declares `template <class T> static constexpr bool has_far`, the test `far(x) != 0` of those
/// numbers, and an op for all others, `near_op`.
template <class Op, class... A> inline constexpr bool has_far_op = false;
template <class Op, class A> requires requires { typename Op::near_op; }
inline constexpr bool has_far_op<Op, A> =
    Op::template has_far<std::remove_cvref_t<decltype(std::declval<A const&>()(index_t{}))>>;

template <class F> inline constexpr bool has_far = false;
template <bool Gpu, class Op, class... A>
inline constexpr bool has_far<bound_expr<Gpu, Op, A...>> =
    has_far_op<Op, A...> || (has_far<A> || ...);

template <class Op, bool HasFar> struct near_op_of {
  using type = Op;
};
template <class Op> struct near_op_of<Op, true> {
  using type = typename Op::near_op;
};

/// The expression with the ops for near numbers.
template <class F> constexpr F near_expr(F const& f) { return f; }
template <bool Gpu, class Op, class... A> requires(has_far<bound_expr<Gpu, Op, A...>>)
constexpr auto near_expr(bound_expr<Gpu, Op, A...> const& f) {
  using near = typename near_op_of<Op, has_far_op<Op, A...>>::type;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    near op{};
    if constexpr (std::is_same_v<near, Op>) op = f.op;
    return bound_expr<Gpu, near, decltype(near_expr(f.args.template get<I>()))...>{
        op, {{near_expr(f.args.template get<I>())}...}};
  }(std::index_sequence_for<A...>{});
}

/// Not 0 where an op of the expression has a far number at i.
template <class F> [[gnu::always_inline]] constexpr std::uint64_t far_at(F const&, index_t) {
  return 0;
}
template <bool Gpu, class Op, class... A> requires(has_far<bound_expr<Gpu, Op, A...>>)
[[gnu::always_inline]] constexpr std::uint64_t far_at(bound_expr<Gpu, Op, A...> const& f,
                                                      index_t i) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    std::uint64_t const below = (far_at(f.args.template get<I>(), i) | ...);
    if constexpr (has_far_op<Op, A...>) return below | Op::far(f.args.template get<0>()(i));
    else return below;
  }(std::index_sequence_for<A...>{});
}

// ---- packs

/// Does every op of an expression take packs?
template <class S> inline constexpr bool takes_packs = true;
template <bool Gpu, class Op, class... A>
inline constexpr bool takes_packs<bound_expr<Gpu, Op, A...>> =
    simd::takes_packs<Op> && (takes_packs<A> && ...);
template <class Op> inline constexpr bool takes_packs<generator_slot<Op>> = simd::takes_packs<Op>;

/// The sizes of the smallest and of the largest element that an expression reads.
struct element_sizes {
  std::size_t least, most;

  constexpr element_sizes beside(element_sizes const& o) const {
    return {least < o.least ? least : o.least, most > o.most ? most : o.most};
  }
};
template <class T> inline constexpr element_sizes sizes_of{sizeof(T), sizeof(computed_in<T>)};
template <class S> inline constexpr element_sizes sizes_in{8, 1};  // an index generator
template <class T> inline constexpr element_sizes sizes_in<scalar<T>> = sizes_of<T>;
template <class T> inline constexpr element_sizes sizes_in<memory_slot<T>> = sizes_of<T>;
template <class T> inline constexpr element_sizes sizes_in<single_slot<T>> = sizes_of<T>;
template <bool Gpu, class Op, class... A>
inline constexpr element_sizes sizes_in<bound_expr<Gpu, Op, A...>> = [] {
  element_sizes all{8, 1};
  ((all = all.beside(sizes_in<A>)), ...);
  return all;
}();

/// The lanes of the packs in which expression S computes results of type R; 1: it does not.
template <class R, class S>
inline constexpr int block_lanes = takes_packs<S> && simd::has_packs<R>
                                       ? simd::lanes_between(sizes_in<S>.beside(sizes_of<R>).least,
                                                             sizes_in<S>.beside(sizes_of<R>).most)
                                       : 1;

/// The N elements of a bound expression from i on.
template <int N, class T> [[gnu::always_inline]] inline auto pack_at(scalar<T> const& s, index_t) {
  return simd::broadcast<N>(s.v);
}
template <int N, class T>
[[gnu::always_inline]] inline auto pack_at(dense_leaf<T> const& l, index_t i) {
  return simd::load<N>(l.p + i);
}
template <int N, class Op>
[[gnu::always_inline]] inline auto pack_at(consecutive_generator<Op> const& g, index_t i) {
  return simd::apply(g.op, simd::iota<N>(g.first + i));
}
template <int N, class Op>
[[gnu::always_inline]] inline auto pack_at(numbered_generator<Op> const& g, index_t i) {
  return simd::apply(g.op, simd::load<N>(g.number + i));
}
template <int N, bool Gpu, class Op, class... A>
[[gnu::always_inline]] inline auto pack_at(bound_expr<Gpu, Op, A...> const& f, index_t i) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return simd::apply(f.op, pack_at<N>(f.args.template get<I>(), i)...);
  }(std::index_sequence_for<A...>{});
}

// ---- the block

/// Elements that are tested for far numbers together.
inline constexpr index_t far_block = 64;

/// to[i] = f(i) for i below n, in packs of N elements. f is a copy, so its addresses and numbers
/// stay in registers.
template <int N, class R, class F>
[[gnu::always_inline]] inline void write_block(R* to, index_t n, F f) {
  if constexpr (N > 1) {
    index_t i = 0;
    for (; i + N <= n; i += N) simd::store(to + i, pack_at<N>(f, i));
    for (; i < n; ++i) to[i] = f(i);
  } else if constexpr (!has_far<F>) {
    write_each(to, n, f);
  } else {
    auto const near = near_expr(f);
    for (index_t i = 0; i < n; i += far_block) {
      std::uint64_t far = n - i < far_block ? 1 : 0;
      if (far == 0)
        for (index_t j = 0; j < far_block; ++j) far |= far_at(f, i + j);
      if (far == 0) write_each(to + i, far_block, [&](index_t j) { return near(i + j); });
      else
        for (index_t j = i; j < n && j < i + far_block; ++j) to[j] = f(j);
    }
  }
}

/// Are the numbers of index generators in memory? Reads one input for each slot.
template <class T> bool has_numbers(scalar<T> const&, block_input const*&) { return false; }
template <class S> bool has_numbers(S const&, block_input const*& in) {
  block_input const& input = *in++;
  return has_generator<S> && input.data != nullptr;
}
template <bool Gpu, class Op, class... A>
bool has_numbers(bound_expr<Gpu, Op, A...> const& f, block_input const*& in) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    bool found = false;
    ((found = has_numbers(f.args.template get<I>(), in) || found), ...);
    return found;
  }(std::index_sequence_for<A...>{});
}

/// The block kernel of expression S with results of type R. N: the lanes of its packs, part of the
/// type, as files may be compiled for different processors.
template <class R, class S, int N = block_lanes<R, S>>
void run_block(void const* expr, void* out, block_input const* in, index_t n) {
  S const& s = *static_cast<S const*>(expr);
  R* const to = static_cast<R*>(out);
  if constexpr (has_generator<S>) {
    block_input const* next = in;
    if (has_numbers(s, next)) return write_block<N>(to, n, bind_block<false>(s, in));
  }
  write_block<N>(to, n, bind_block<true>(s, in));
}

}}}  // namespace placement::v0_1::detail
