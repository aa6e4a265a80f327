#pragma once
/// The CPU kernel of a reduction, over all elements or along one axis.
///
/// A reduction op defines `state<T>` (the accumulator), `init<T>()`, `step(state, x, i)`
/// (accumulates element i), `combine(state, state)` and `finalize(state, n)`. Many states are
/// carried side by side and combined. The order depends on the shape and on the operands' layouts,
/// not on the number of threads.
///
/// Optional members make it faster:
/// - `partial_type<T>`: a number type in which eight or sixteen elements are summed.
///   `add(state, partial_type)` adds such a sum.
/// - `around<T>::state_of(center, away, squares, n)`: the state of n elements. `away` is the sum of
///   their differences from `center`, `squares` that of the squared differences.
/// - `quick(a, x)`: the element that step() would keep of two that are not NaN.
/// - `takes(state, x)`: whether x would change the state. Needed with `quick` if the state holds
///   the element's index.

#include <placement/cpu/block_epilogue.hpp>
#include <placement/cpu/reduce_blocks.hpp>
#include <placement/kernels/cost.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 {

template <class Op, class T> struct kernel<cpu_kernels, reduce, Op, T> {
  static constexpr bool exists = true;

  static constexpr index_t min_chunk_length = 1 << 15;  ///< the least elements per chunk
  static constexpr index_t max_chunks = 64;
  static constexpr index_t short_count = 64;

  /// Reduces all n elements f(0) ... f(n - 1) to *out.
  template <class On, class R, class F, class Epilogue>
  static void contiguous(On const& on, Op const& op, R* out, index_t n, F const& f,
                         Epilogue const& epilogue) {
    if constexpr (std::is_same_v<On, seq>) *out = op.finalize(reduce_inline(op, n, f), n);
    else if (n <= detail::max_read) *out = op.finalize(reduce_short(op, n, f), n);
    else reduce_all(on, op, out, dextents<1>{{n}}, f);
    detail::run_epilogue(epilogue, {0, 1, 0, 1, 1});
  }

  /// Reduces all elements of shape x, in row-major order, to *out.
  template <class On, class R, class F, class X, class Epilogue>
  static void strided(On const& on, Op const& op, R* out, X const& x, F const& f,
                      Epilogue const& epilogue) {
    auto const n = static_cast<index_t>(x.count());
    if (n <= short_count) reduce_short(op, out, x, f, {1, n, 1});
    else reduce_all(detail::as_par(on), op, out, x, f);
    detail::run_epilogue(epilogue, {0, 1, 0, 1, 1});
  }

  /// Reduces along the last dimension of shape x: one result per row, written to out in order.
  template <class On, class F, class X, class R, class Epilogue>
  static void last_axis(On const& on, Op const& op, R* out, X const& x, F const& f,
                        Epilogue const& epilogue) {
    reduce_along(detail::as_par(on), op, out, x, X::rank - 1, f, epilogue);
  }

  /// Reduces along dimension `axis` of shape x, which is not the last. The columns of a tile
  /// advance together.
  template <class On, class F, class X, class R, class Epilogue>
  static void inner_axis(On const& on, Op const& op, R* out, X const& x, std::size_t axis,
                         F const& f, Epilogue const& epilogue) {
    reduce_along(detail::as_par(on), op, out, x, axis, f, epilogue);
  }

 private:
  using state = typename Op::template state<T>;

  template <class X, class F> static std::size_t cost_of(X const& x, F const&) {
    return x.count() * detail::cost_per_element_of<F>;
  }

  /// The elements of a shape before, along and after an axis.
  struct axis_extents {
    index_t outer, depth, inner;
  };
  template <class R, class F, class X, class Epilogue>
  static void reduce_along(par on, Op const& op, R* out, X const& x, std::size_t axis, F const& f,
                           Epilogue const& epilogue) {
    axis_extents by{1, x.at(axis), 1};
    for (std::size_t d = 0; d != axis; ++d) by.outer *= x.at(d);
    for (std::size_t d = axis + 1; d != X::rank; ++d) by.inner *= x.at(d);
    index_t const results = by.outer * by.inner;
    if (results == 0) return;
    if (results * by.depth <= short_count) {
      reduce_short(op, out, x, f, by);
      detail::run_epilogue(epilogue, {0, 1, 0, results, results});
    } else {
      detail::block_kernel_of<T, F> const kernel(f);
      reduce_fibers(on, op, out, kernel.call(nullptr, 1), x, axis, by, cost_of(x, f), epilogue);
    }
  }
  /// The fibers of a shape along an axis: one after another, or those of a tile together.
  template <class R, class X, class Epilogue>
  static void reduce_fibers(par on, Op const& op, R* out, detail::block_call const& call,
                            X const& x, std::size_t axis, axis_extents const& by, std::size_t cost,
                            Epilogue const& epilogue) {
    index_t const results = by.outer * by.inner;
    if (X::rank > 1 && by.depth > 1 && detail::prefers_tiles(call, x, axis)) {
      detail::on_tiles(call, x, axis, cost, on,
                       [&](detail::block_reader& reader, detail::column_tile const& tile) {
                         detail::reduce_blocks<Op, T>(op).columns(reader, tile, out);
                         detail::run_epilogue(epilogue, {0, 1, tile.result, tile.columns, results});
                       });
    } else {
      detail::with_readers(
          call, x, axis, {results, 1, cost, 0}, on,
          [&](detail::block_reader& reader, work_chunk const& chunk) {
            detail::reduce_blocks<Op, T>(op).rows(reader, out, chunk.begin, chunk.end, by.depth);
            detail::run_epilogue(epilogue, {0, 1, chunk.begin, chunk.end - chunk.begin, results});
          });
    }
  }
  /// At most short_count elements of any layout, without a reader.
  template <class R, class F, class X>
  [[gnu::noinline]] static void reduce_short(Op const& op, R* out, X const& x, F const& f,
                                             axis_extents const& by) {
    T some[short_count];
    detail::block_kernel_of<T, F> const kernel(f);
    detail::run_dense_blocks(kernel.call(some, 1), x, {.is_parallel = false});
    detail::reduce_blocks<Op, T>(op).fibers(some, by.outer, by.depth, by.inner, out);
  }
  /// All elements of shape x, which is {n} for a contiguous expression.
  template <class R, class F, class X>
  static void reduce_all(par on, Op const& op, R* out, X const& x, F const& f) {
    auto const n = static_cast<index_t>(x.count());
    index_t const wanted = n / min_chunk_length < max_chunks ? n / min_chunk_length : max_chunks;
    index_t const chunks = wanted < 1 ? 1 : wanted;
    state s[max_chunks];
    detail::block_kernel_of<T, F> const kernel(f);
    constexpr std::size_t last = X::rank == 0 ? 0 : X::rank - 1;
    detail::with_readers(kernel.call(nullptr, 1), x, last, {chunks, 1, cost_of(x, f), 0}, on,
                         [&](detail::block_reader& reader, work_chunk const& chunk) {
                           for (index_t p = chunk.begin; p != chunk.end; ++p) {
                             index_t const begin = begin_of(p, chunks, n);
                             s[p] = detail::reduce_blocks<Op, T>(op).of(
                                 reader, begin, begin_of(p + 1, chunks, n), begin);
                           }
                         });
    for (index_t p = 1; p != chunks; ++p) s[0] = op.combine(s[0], s[p]);
    *out = op.finalize(s[0], n);
  }
  static index_t begin_of(index_t chunk, index_t chunks, index_t n) {
    return n / chunks * chunk + n % chunks * chunk / chunks;
  }

  /// At most max_read contiguous elements: without a reader, and on this thread.
  template <class F>
  [[gnu::noinline]] static state reduce_short(Op const& op, index_t n, F const& f) {
    using expression = detail::block_expr<F>;
    detail::reduce_blocks<Op, T> const blocks(op);
    if constexpr (detail::is_operand_alone<F>) {
      return blocks.of(f.p, n, 0);
    } else {
      detail::block_input in[detail::slots_in<expression> + 1];
      detail::input_lister{in}.add(f);
      expression const expr = detail::slotted<F>::of(f);
      alignas(64) T some[static_cast<std::size_t>(detail::max_read)];
      detail::run_block<T, expression>(&expr, some, in, n);
      return blocks.of(some, n, 0);
    }
  }
  /// A length in the type, whose loop is inlined.
  template <class F> static state reduce_inline(Op const& op, index_t n, F const& f) {
    if (n < detail::reduce_blocks<Op, T>::short_length) {
      state s = Op::template init<T>();
      for (index_t i = 0; i != n; ++i) s = op.step(s, f(i), i);
      return s;
    }
    detail::reduce_lanes<Op, T> lanes(op);
    F const own = f;  // nothing else can point to the copy: its values stay in registers
    lanes.accumulate([&](index_t i) __attribute__((always_inline)) { return own(i); }, n, 0);
    return lanes.combined();
  }
};

}}  // namespace placement::v0_1
