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
/// - `state_of_sum<T>(double)`: the state of float or double elements that have this sum.
/// - `around<T>::state_of(center, away, squares, n)`: the state of n elements. `away` is the sum of
///   their differences from `center`, `squares` that of the squared differences.
/// - `quick(a, x)`: the element that step() would keep of two that are not NaN.
/// - `selects_largest`: with `quick`, whether it keeps the larger or the smaller of two.
/// - `takes(state, x)`: with `quick`, whether x would change a state that holds an index.

#include <placement/cpu/block_epilogue.hpp>
#include <placement/cpu/block_kernel.hpp>
#include <placement/cpu/local_array.hpp>
#include <placement/cpu/map_blocks.hpp>
#include <placement/cpu/reduce_blocks.hpp>
#include <placement/cpu/reduce_windows.hpp>
#include <placement/cpu/reshaped_axis.hpp>
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
    if constexpr (std::is_same_v<On, seq>) {
      *out = op.finalize(reduce_inline(op, n, f), n);
    } else {
      detail::block_kernel_of<T, F> const kernel(f);
      contiguous_blocks(on, op, out, kernel.call(nullptr, detail::cost_per_element_of<F>), n);
    }
    detail::run_epilogue(epilogue, {0, 1, 0, 1, 1});
  }

  /// Reduces all elements of shape x, in row-major order, to *out.
  template <class On, class R, class F, class X, class Epilogue>
  static void strided(On const& on, Op const& op, R* out, X const& x, F const& f,
                      Epilogue const& epilogue) {
    detail::block_kernel_of<T, F> const kernel(f);
    strided_blocks(detail::as_par(on), op, out,
                   kernel.call(nullptr, detail::cost_per_element_of<F>), x);
    detail::run_epilogue(epilogue, {0, 1, 0, 1, 1});
  }

  /// Reduces along the last dimension of shape x: one result per row, written to out in order.
  template <class On, class F, class X, class R, class Epilogue>
  static void last_axis(On const& on, Op const& op, R* out, X const& x, F const& f,
                        Epilogue const& epilogue) {
    inner_axis(on, op, out, x, X::rank - 1, f, epilogue);
  }

  /// Reduces along dimension `axis` of shape x. The columns of a tile advance together.
  template <class On, class F, class X, class R, class Epilogue>
  static void inner_axis(On const& on, Op const& op, R* out, X const& x, std::size_t axis,
                         F const& f, Epilogue const& epilogue) {
    detail::block_kernel_of<T, F> const kernel(f);
    axis_blocks(detail::as_par(on), op, out, kernel.call(nullptr, detail::cost_per_element_of<F>),
                x, axis, detail::callback_of(epilogue));
  }

  // ---- the same for the elements that a block kernel computes; all expressions share these

  /// All n elements of contiguous operands, whatever their layouts are.
  template <class R>
  static void contiguous_blocks(par on, Op const& op, R* out, detail::block_call const& call,
                                index_t n) {
    if (!reads_at_once(call, n)) {
      detail::local_array<detail::block_operand> operands(call.operands);
      return reduce_all(on, op, out, detail::contiguous_call(call, operands.data()), {1, &n});
    }
    detail::local_array<detail::block_input> in(call.operands);
    for (unsigned k = 0; k != call.operands; ++k) in[k] = {call.operand[k].data, 0};
    reduce_inputs(op, out, call, in.data(), n);
  }
  /// Whether reduce_inputs() takes n elements of contiguous operands.
  static bool reads_at_once(detail::block_call const& call, index_t n) {
    return n <= detail::max_read ||
           (detail::reduce_blocks<Op, T>::reads_in_place(call) && chunks_of(n) == 1);
  }
  /// n elements of operands that begin at `in`.
  template <class R>
  [[gnu::noinline]] static void reduce_inputs(Op const& op, R* out, detail::block_call const& call,
                                              detail::block_input const* in, index_t n) {
    *out = op.finalize(detail::reduce_blocks<Op, T>(op).of_inputs(call, in, n), n);
  }
  /// All elements of shape x, of operands of any layout.
  template <class R>
  static void strided_blocks(par on, Op const& op, R* out, detail::block_call const& call,
                             detail::any_shape const& x) {
    auto const n = static_cast<index_t>(x.count());
    if (n <= short_count) reduce_short(op, out, call, x, {1, n, 1});
    else reduce_all(on, op, out, call, x);
  }
  /// Along dimension `axis` of shape x.
  template <class R>
  static void axis_blocks(par on, Op const& op, R* out, detail::block_call const& call,
                          detail::any_shape const& x, std::size_t axis,
                          detail::epilogue_callback const& epilogue) {
    detail::axis_extents by{1, x.extent[axis], 1};
    for (std::size_t d = 0; d != axis; ++d) by.outer *= x.extent[d];
    for (std::size_t d = axis + 1; d != x.rank; ++d) by.inner *= x.extent[d];
    index_t const results = by.outer * by.inner;
    if (results == 0) return;
    if (results * by.depth <= short_count) {
      reduce_short(op, out, call, x, by);
      epilogue({0, 1, 0, results, results});
    } else if (detail::reads_reshape(call)) {
      reduce_reshape(on, op, out, call, x, axis, by, epilogue);
    } else {
      reduce_fibers(on, op, out, call, x, axis, by, epilogue);
    }
  }

 private:
  using state = typename Op::template state<T>;

  static std::size_t cost_of(detail::block_call const& call, detail::any_shape const& x) {
    return x.count() * call.cost_per_element;
  }

  /// Along an axis of a reshape, without the reshape where that is possible.
  template <class R>
  [[gnu::noinline]] static void reduce_reshape(par on, Op const& op, R* out,
                                               detail::block_call const& call,
                                               detail::any_shape const& x, std::size_t axis,
                                               detail::axis_extents const& by,
                                               detail::epilogue_callback const& epilogue) {
    detail::reshaped_axis r(call, x, axis);
    if (!r.exists()) return reduce_fibers(on, op, out, call, x, axis, by, epilogue);
    if (r.reduced() == 1)
      return reduce_fibers(on, op, out, r.call(), r.shape(), r.axis(), by, epilogue);
    auto const order = detail::fiber_order_of(r.call(), r.shape(), r.axis(), by, false);
    if (order == detail::fiber_order::tiles_across) {
      reduce_tiles(on, op, out, r.call(), r.shape(), {r.axis(), 0, r.reduced()}, by, epilogue);
    } else if (order != detail::fiber_order::one_by_one && r.axis() + 1 != r.shape().rank) {
      r.move_back(1);
      index_t const matrices = by.depth / r.shape().extent[r.axis()];
      reduce_tiles(on, op, out, r.call(), r.shape(), {r.axis(), matrices}, by, epilogue);
    } else {
      r.move_back(0);
      reduce_rows(on, op, out, r.call(), r.shape(), r.axis(), by, epilogue);
    }
  }
  /// The fibers of a shape along an axis.
  template <class R>
  static void reduce_fibers(par on, Op const& op, R* out, detail::block_call const& call,
                            detail::any_shape const& x, std::size_t axis,
                            detail::axis_extents const& by,
                            detail::epilogue_callback const& epilogue) {
    auto const order = detail::fiber_order_of(call, x, axis, by, detail::has_short_rows<Op, T>);
    if constexpr (detail::total<Op, T>::exists)
      if (cost_of(call, x) < detail::min_parallel_cost &&
          detail::reduce_totals<Op, T>(op).in_place(call, x, by, order, out))
        return epilogue({0, 1, 0, by.outer * by.inner, by.outer * by.inner});
    switch (order) {
      case detail::fiber_order::one_by_one:
        return reduce_rows(on, op, out, call, x, axis, by, epilogue);
      case detail::fiber_order::tiles:
        return reduce_tiles(on, op, out, call, x, {axis}, by, epilogue);
      case detail::fiber_order::tiles_across:
        return reduce_tiles(on, op, out, call, x, {axis, 0}, by, epilogue);
      case detail::fiber_order::adjacent:
        return reduce_adjacent(on, op, out, call, x, by, epilogue);
    }
  }
  /// Those of a tile together.
  template <class R>
  static void reduce_tiles(par on, Op const& op, R* out, detail::block_call const& call,
                           detail::any_shape const& x, detail::tile_axis const& rows,
                           detail::axis_extents const& by,
                           detail::epilogue_callback const& epilogue) {
    if (detail::reduce_on_windows<Op, T>(on, op, out, call, x, rows, by, epilogue)) return;
    index_t const results = by.outer * by.inner;
    detail::on_tiles(call, x, rows, cost_of(call, x), on,
                     [&](detail::block_reader& reader, detail::column_tile const& tile) {
                       detail::reduce_blocks<Op, T>(op).columns(reader, tile, out);
                       epilogue({0, 1, tile.result, tile.columns, results});
                     });
  }
  /// Those of a matrix together, in chunks of its rows if there are only some long matrices.
  template <class R>
  static void reduce_adjacent(par on, Op const& op, R* out, detail::block_call const& call,
                              detail::any_shape const& x, detail::axis_extents const& by,
                              detail::epilogue_callback const& epilogue) {
    index_t const n = by.inner, length = by.depth * n, wanted = length / min_chunk_length,
                  most = max_chunks / by.outer, chunks = wanted < most ? wanted : most;
    index_t const per_matrix = chunks < 1 ? 1 : chunks;
    detail::heap_array<state> const all(
        per_matrix == 1 ? 0 : static_cast<std::size_t>(by.outer * per_matrix * n));
    state* const states = all.data();
    auto const finish = [&](state const* s, index_t matrix) {
      for (index_t j = 0; j != n; ++j) out[matrix * n + j] = op.finalize(s[j], by.depth);
    };
    detail::with_readers(
        call, x, x.rank - 1, {by.outer * per_matrix, 1, cost_of(call, x), 0}, on,
        [&](detail::block_reader& reader, work_chunk const& chunk) {
          state own[detail::max_tile_columns];
          for (index_t i = chunk.begin; i != chunk.end; ++i) {
            index_t const matrix = i / per_matrix, part = i % per_matrix;
            detail::reduce_blocks<Op, T>(op).adjacent(reader, matrix * length,
                                                      begin_of(part, per_matrix, by.depth),
                                                      begin_of(part + 1, per_matrix, by.depth), n,
                                                      states != nullptr ? states + i * n : own);
            if (states == nullptr) finish(own, matrix);
          }
          if (states == nullptr)
            epilogue({0, 1, chunk.begin * n, (chunk.end - chunk.begin) * n, by.outer * n});
        });
    if (states == nullptr) return;
    for (index_t i = 0; i != by.outer; ++i) {
      state* const s = states + i * per_matrix * n;
      for (index_t j = n; j != per_matrix * n; ++j) s[j % n] = op.combine(s[j % n], s[j]);
      finish(s, i);
    }
    epilogue({0, 1, 0, by.outer * n, by.outer * n});
  }
  /// One after another. The reduced dimensions follow each other in the order of reading, in which
  /// the axis is last.
  template <class R>
  static void reduce_rows(par on, Op const& op, R* out, detail::block_call const& call,
                          detail::any_shape const& x, std::size_t axis,
                          detail::axis_extents const& by,
                          detail::epilogue_callback const& epilogue) {
    index_t const results = by.outer * by.inner;
    detail::with_readers(call, x, axis, {results, 1, cost_of(call, x), 0}, on,
                         [&](detail::block_reader& reader, work_chunk const& chunk) {
                           detail::reduce_blocks<Op, T>(op).rows(reader, out, chunk.begin,
                                                                 chunk.end, by.depth);
                           epilogue({0, 1, chunk.begin, chunk.end - chunk.begin, results});
                         });
  }
  /// At most short_count elements of any layout, without a reader.
  template <class R>
  [[gnu::noinline]] static void reduce_short(Op const& op, R* out, detail::block_call const& call,
                                             detail::any_shape const& x,
                                             detail::axis_extents const& by) {
    T some[short_count];
    detail::block_call to_some = call;
    to_some.out = some;
    detail::run_dense_blocks(to_some, x, {.is_parallel = false});
    detail::reduce_blocks<Op, T>(op).fibers(some, by.outer, by.depth, by.inner, out);
  }
  /// All elements of shape x, which is {n} for contiguous operands.
  template <class R>
  static void reduce_all(par on, Op const& op, R* out, detail::block_call const& call,
                         detail::any_shape const& x) {
    auto const n = static_cast<index_t>(x.count()), chunks = chunks_of(n);
    state s[max_chunks];
    std::size_t const last = x.rank == 0 ? 0 : x.rank - 1;
    detail::with_readers(call, x, last, {chunks, 1, cost_of(call, x), 0}, on,
                         [&](detail::block_reader& reader, work_chunk const& chunk) {
                           for (index_t p = chunk.begin; p != chunk.end; ++p) {
                             index_t const begin = begin_of(p, chunks, n, 64);
                             s[p] = detail::reduce_blocks<Op, T>(op).of(
                                 reader, begin, begin_of(p + 1, chunks, n, 64), begin);
                           }
                         });
    for (index_t p = 1; p != chunks; ++p) s[0] = op.combine(s[0], s[p]);
    *out = op.finalize(s[0], n);
  }
  static index_t chunks_of(index_t n) {
    index_t const wanted = n / min_chunk_length;
    return wanted < 1 ? 1 : wanted < max_chunks ? wanted : max_chunks;
  }
  /// A multiple of `unit`, such as 64 elements, which are whole cache lines.
  static index_t begin_of(index_t chunk, index_t chunks, index_t n, index_t unit = 1) {
    return chunk == chunks ? n : (n / chunks * chunk + n % chunks * chunk / chunks) / unit * unit;
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
    lanes.accumulate([&](index_t i) PLACEMENT_ALWAYS_INLINE { return own(i); }, n, 0);
    return lanes.combined();
  }
};

}}  // namespace placement::v0_1
