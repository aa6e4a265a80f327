#pragma once
/// The block kernel of a fused expression: one function over operands whose elements lie side by
/// side. Each expression compiles this function and no other loop. map_blocks.hpp calls it for any
/// shape: it resolves broadcasting and strides, and shares the work among threads.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/block_expr.hpp>
#include <placement/cpu/block_stages.hpp>
#include <placement/cpu/loop.hpp>
#include <placement/cpu/near_expr.hpp>
#include <placement/cpu/operand_lister.hpp>
#include <placement/cpu/rest_pack.hpp>
#include <placement/kernels/kernel_set.hpp>
#include <placement/kernels/simd.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

// ---- the elements of an expression as packs

/// Does every op of an expression take packs?
template <class S> inline constexpr bool takes_packs = true;
template <bool Gpu, class Op, class... A>
inline constexpr bool takes_packs<bound_expr<Gpu, Op, A...>> =
    simd::takes_packs<Op> && (takes_packs<A> && ...);
template <class Op>
inline constexpr bool takes_packs<generator_slot<Op>> =
    simd::takes_packs<Op> && !is_complex<decltype(std::declval<Op const&>()(index_t{}))>;
template <class T> inline constexpr bool takes_packs<memory_slot<T>> = !is_complex<T>;
template <class T> inline constexpr bool takes_packs<single_slot<T>> = !is_complex<T>;
template <class T> inline constexpr bool takes_packs<scalar<T>> = !is_complex<T>;

/// Is every op of an expression a sum or a product? Compilers make vector code of such a loop over
/// elements, and unroll it where its length is in the type. An op declares it: `is_arithmetic`.
template <class S> inline constexpr bool is_arithmetic = true;
template <class Op> inline constexpr bool is_arithmetic<index_generator<Op>> = false;
template <class Op> inline constexpr bool is_arithmetic<consecutive_generator<Op>> = false;
template <class Op> inline constexpr bool is_arithmetic<numbered_generator<Op>> = false;
template <bool Gpu, class Op, class... A>
inline constexpr bool is_arithmetic<bound_expr<Gpu, Op, A...>> = [] {
  if constexpr (requires { Op::is_arithmetic; }) return (is_arithmetic<A> && ...);
  else return false;
}();

/// The sizes of the smallest and of the largest element that an expression reads.
struct element_sizes {
  std::size_t least, most;

  constexpr element_sizes beside(element_sizes const& o) const {
    return {least < o.least ? least : o.least, most > o.most ? most : o.most};
  }
};
template <class T> inline constexpr element_sizes sizes_of{sizeof(T), sizeof(computed_in<T>)};
template <class S> inline constexpr element_sizes sizes_in{8, 1};  // an index generator
/// A generator that computes elements together declares `fills_packs`: packs are then the largest.
template <class Op> requires requires { Op::fills_packs; }
inline constexpr element_sizes sizes_in<generator_slot<Op>>{1, 1};
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
template <int N, class T> PLACEMENT_ALWAYS_INLINE inline auto pack_at(scalar<T> const& s, index_t) {
  return simd::broadcast<N>(s.v);
}
template <int N, class T>
PLACEMENT_ALWAYS_INLINE inline auto pack_at(dense_leaf<T> const& l, index_t i) {
  return simd::load<N>(l.p + i);
}
template <int N, class Op>
PLACEMENT_ALWAYS_INLINE inline auto pack_at(consecutive_generator<Op> const& g, index_t i) {
  if constexpr (requires { g.op.template consecutive<N>(i); })
    return g.op.template consecutive<N>(g.first + i);
  else return simd::apply(g.op, simd::iota<N>(g.first + i));
}
template <int N, class Op>
PLACEMENT_ALWAYS_INLINE inline auto pack_at(numbered_generator<Op> const& g, index_t i) {
  return simd::apply(g.op, simd::load<N>(g.number + i));
}
template <int N, bool Gpu, class Op, class... A>
PLACEMENT_ALWAYS_INLINE inline auto pack_at(bound_expr<Gpu, Op, A...> const& f, index_t i) {
  if constexpr (is_by_number<Op, A...>)
    return f.op.by_number(pack_at<N>(slot_value<0>(f.args), i), slot_value<1>(f.args).v);
  else
    return [&]<std::size_t... I>(std::index_sequence<I...>) PLACEMENT_ALWAYS_INLINE {
      return simd::apply(f.op, pack_at<N>(slot_value<I>(f.args), i)...);
    }(std::index_sequence_for<A...>{});
}

/// Memory for n < N elements of each operand, as a pack reads all N. take: copies the elements from
/// i on, repeats the first in the other lanes, and makes the operand read the copy from 0 on. Index
/// generators get consecutive numbers beyond the end instead.
template <int N, class S> struct rest_buffer {
  PLACEMENT_ALWAYS_INLINE void take(S&, index_t, index_t) {}
};
template <int N, class T> struct rest_buffer<N, dense_leaf<T>> {
  T some[static_cast<std::size_t>(N)];

  PLACEMENT_ALWAYS_INLINE void take(dense_leaf<T>& l, index_t i, index_t n) {
    fill_pack<N>(some, l.p + i, n);
    l.p = some;
  }
};
template <int N, class Op> struct rest_buffer<N, consecutive_generator<Op>> {
  PLACEMENT_ALWAYS_INLINE void take(consecutive_generator<Op>& g, index_t i, index_t) {
    g.first += i;
  }
};
template <int N, class Op> struct rest_buffer<N, numbered_generator<Op>> {
  index_t some[static_cast<std::size_t>(N)];

  PLACEMENT_ALWAYS_INLINE void take(numbered_generator<Op>& g, index_t i, index_t n) {
    fill_pack<N>(some, g.number + i, n);
    g.number = some;
  }
};
template <int N, bool Gpu, class Op, class... A> struct rest_buffer<N, bound_expr<Gpu, Op, A...>> {
  pack<rest_buffer<N, A>...> all;

  PLACEMENT_ALWAYS_INLINE void take(bound_expr<Gpu, Op, A...>& f, index_t i, index_t n) {
    [&]<std::size_t... I>(std::index_sequence<I...>) PLACEMENT_ALWAYS_INLINE {
      (slot_value<I>(all).take(slot_value<I>(f.args), i, n), ...);
    }(std::index_sequence_for<A...>{});
  }
};

/// Whether the last elements of a block are computed one by one: where numbers and packs have the
/// same bits, and copies for a pack cost more than the expression.
template <class R, class F>
inline constexpr bool has_scalar_rest =
    is_arithmetic<F> && !number_of_16_bits<R> && !PLACEMENT_FUSES_MULTIPLY_ADD;

/// to[i] = f(i) for i below n, in packs of N. The last elements are a pack, too, as an element has
/// the same bits at each position: compilers fuse products and sums of packs and of numbers in
/// different places.
template <int N, class R, class F>
PLACEMENT_ALWAYS_INLINE inline void write_packs(R* to, index_t n, F& f) {
  index_t const whole = n / N * N;
  R rest[static_cast<std::size_t>(N)];
  R* at = to;
  rest_buffer<N, F> buffer;
  for (index_t end = whole;; end = N) {  // twice where there is a rest; one copy of the code
    for (index_t i = 0; i < end; i += N) simd::store(at + i, pack_at<N>(f, i));
    if (at == rest || whole == n) break;
    buffer.take(f, whole, n - whole);
    at = rest;
  }
  if (at != rest) return;
  write_rest<N>(to + whole, rest, n - whole);
}
/// The same, with the last elements one by one where has_scalar_rest says so. f is a copy, so its
/// addresses and numbers stay in registers.
template <int N, class R, class F>
PLACEMENT_ALWAYS_INLINE inline void write_by_packs(R* to, index_t n, F f) {
  if constexpr (has_scalar_rest<R, F>) {
    index_t i = 0;
    for (; i + N <= n; i += N) simd::store(to + i, pack_at<N>(f, i));
    for (; i != n; ++i) to[i] = f(i);
  } else {
    write_packs<N>(to, n, f);
  }
}

// ---- the block

/// Elements that are tested for far numbers together.
inline constexpr index_t far_block = 64;

/// A loop over packs of N elements.
template <int N> struct pack_loop {
  template <class R, class F> PLACEMENT_ALWAYS_INLINE static void write(R* to, index_t n, F f) {
    write_by_packs<N>(to, n, f);
  }
};
/// A loop over elements.
template <> struct pack_loop<1> {
  template <class R, class F> PLACEMENT_ALWAYS_INLINE static void write(R* to, index_t n, F f) {
    write_each(to, n, f);
  }
};

/// to[i] = f(i) for i below n, in packs of N elements. f is a copy, so its addresses and numbers
/// stay in registers.
template <int N, class R, class F>
PLACEMENT_ALWAYS_INLINE inline void write_block(R* to, index_t n, F f) {
  if constexpr (has_array_loop<R, F>) {
    if (n >= least_for_array_loop) return run_array_loop(to, n, f);
  } else if constexpr (is_row_of_array<R, F>) {
    if (n >= least_for_array_loop) return run_row_of_array(to, n, f);
  }
  if constexpr (has_stages<F>) {
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
    ((found = has_numbers(slot_value<I>(f.args), in) || found), ...);
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
    return {&run_block<R, expression>,
            &expr_,
            operand_,
            operands,
            sizeof(R),
            cost_per_element,
            out,
            form_of_slots<expression>,
            row_loop_of<R, expression>};
  }

 private:
  expression expr_;
  block_operand operand_[operands != 0 ? operands : 1];
  layout_level level_[levels_in<F> != 0 ? levels_in<F> : 1];
};

}}}  // namespace placement::v0_1::detail
