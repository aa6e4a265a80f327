#pragma once
/// The block kernel of a fused expression: one function over operands whose elements lie side by
/// side. Each expression compiles this function and no other loop. map_blocks.hpp calls it for any
/// shape: it resolves broadcasting and strides, and shares the work among threads.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/block_expr.hpp>
#include <placement/cpu/block_packs.hpp>
#include <placement/cpu/block_stages.hpp>
#include <placement/cpu/loop.hpp>
#include <placement/cpu/operand_lister.hpp>
#include <placement/kernels/kernel_set.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

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

// ---- the block

/// Elements that are tested for far numbers together.
inline constexpr index_t far_block = 64;

/// A loop over packs of N elements.
template <int N> struct pack_loop {
  template <class R, class F> [[gnu::always_inline]] static void write(R* to, index_t n, F f) {
    write_by_packs<N>(to, n, f);
  }
};

/// to[i] = f(i) for i below n, in packs of N elements. f is a copy, so its addresses and numbers
/// stay in registers.
template <int N, class R, class F>
[[gnu::always_inline]] inline void write_block(R* to, index_t n, F f) {
  if constexpr (N > 1 && has_stages<F>) {
    write_stages<pack_loop<N>>(to, n, f);
  } else if constexpr (N > 1) {
    write_by_packs<N>(to, n, f);
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

/// The block kernel of expression S with results of type R. N: the lanes of its packs. N and K are
/// parts of the type, as files may be compiled for different processors.
template <class R, class S, int N = block_lanes<R, S>, class K = cpu_kernels>
void run_block(void const* expr, void* out, block_input const* in, index_t n) {
  S const& s = *static_cast<S const*>(expr);
  R* const to = static_cast<R*>(out);
  if constexpr (has_generator<S>) {
    block_input const* next = in;
    if (has_numbers(s, next)) return write_block<N>(to, n, bind_block<false>(s, in));
  }
  write_block<N>(to, n, bind_block<true>(s, in));
}

/// Memory for the operands and layouts of a bound expression F, and its block kernel.
template <class R, class F> class block_kernel_of {
 public:
  using expression = block_expr<F>;
  static constexpr unsigned operands = slots_in<expression>;

  explicit block_kernel_of(F const& f) : expr_(slotted<F>::of(f)) {
    operand_lister{operand_, level_}.add(f, nullptr, nullptr);
  }
  block_kernel_of(block_kernel_of const&) = delete;
  block_kernel_of& operator=(block_kernel_of const&) = delete;

  block_call call(R* out, std::size_t cost_per_element) const {
    return {&run_block<R, expression>, &expr_, operand_,           operands, sizeof(R),
            cost_per_element,          out,    is_operand_alone<F>};
  }

 private:
  expression expr_;
  block_operand operand_[operands != 0 ? operands : 1];
  layout_level level_[levels_in<F> != 0 ? levels_in<F> : 1];
};

}}}  // namespace placement::v0_1::detail
