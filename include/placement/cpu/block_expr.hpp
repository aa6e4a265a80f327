#pragma once
/// The expression of a block kernel: its type has slots in place of operands, to which each call
/// binds addresses.

#include <placement/cpu/block_call.hpp>
#include <placement/kernels/bound_expr.hpp>

#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

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
      return type{f.op, {{slotted<A>::of(slot_value<I>(f.args))}...}};
    }(std::index_sequence_for<A...>{});
  }
};

/// How many operands an expression has slots for.
template <class S> inline constexpr unsigned slots_in = 1;
template <class T> inline constexpr unsigned slots_in<scalar<T>> = 0;
template <bool Gpu, class Op, class... A>
inline constexpr unsigned slots_in<bound_expr<Gpu, Op, A...>> = (0U + ... + slots_in<A>);

/// The form of a block kernel. An op of one or two operands in memory declares it:
/// `static constexpr detail::block_form form`.
template <class S> inline constexpr block_form form_of_slots = block_form::any;
template <class T> inline constexpr block_form form_of_slots<memory_slot<T>> = block_form::operand;
template <bool Gpu, class Op, class... T> requires requires { Op::form; }
inline constexpr block_form form_of_slots<bound_expr<Gpu, Op, memory_slot<T>...>> = Op::form;

/// The loop over rows of an expression with results of type R, or null. An op of two operands in
/// memory declares it: `template <class T> static constexpr detail::row_function row_loop`.
template <class R, class S> inline constexpr row_function row_loop_of = nullptr;
template <class T, bool Gpu, class Op> requires requires { Op::template row_loop<T>; }
inline constexpr row_function row_loop_of<T, bound_expr<Gpu, Op, memory_slot<T>, memory_slot<T>>> =
    Op::template row_loop<T>;

template <class S> inline constexpr bool has_generator = false;
template <class Op> inline constexpr bool has_generator<generator_slot<Op>> = true;
template <bool Gpu, class Op, class... A>
inline constexpr bool has_generator<bound_expr<Gpu, Op, A...>> = (has_generator<A> || ...);

// ---- the expression over the operands of a block

/// An index generator of consecutive element numbers.
template <class Op> struct consecutive_generator {
  [[no_unique_address]] Op op;
  index_t first;
  PLACEMENT_ALWAYS_INLINE auto operator()(index_t i) const { return op(first + i); }
};
/// An index generator of element numbers in memory.
template <class Op> struct numbered_generator {
  [[no_unique_address]] Op op;
  index_t const* number;
  PLACEMENT_ALWAYS_INLINE auto operator()(index_t i) const { return op(number[i]); }
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
    return bound_expr<false, Op, decltype(bind_block<Consecutive>(slot_value<I>(f.args), in))...>{
        f.op, {{bind_block<Consecutive>(slot_value<I>(f.args), in)}...}};
  }(std::index_sequence_for<A...>{});
}

}}}  // namespace placement::v0_1::detail
