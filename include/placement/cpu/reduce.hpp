#pragma once
/// The CPU kernel of a reduction, over all elements or along one axis.
///
/// A reduction op defines `state<T>` (the accumulator), `init<T>()`, `step(state, x, i)`
/// (accumulates element i), `combine(state, state)` and `finalize(state, n)`. Many states are
/// carried side by side and combined. The order depends on the shape only, not on the number of
/// threads.
///
/// Optional members make it faster:
/// - `partial_type<T>`: a number type in which eight or sixteen elements are summed.
///   `add(state, partial_type)` adds such a sum.
/// - `around<T>::state_of(center, away, squares, n)`: the state of n elements. `away` is the sum of
///   their differences from `center`, `squares` that of the squared differences.
/// - `quick(a, x)`: the element that step() would keep of two that are not NaN.
/// - `takes(state, x)`: whether x would change the state. Needed with `quick` if the state holds
///   the element's index.

#include <placement/cpu/parallel_for.hpp>
#include <placement/cpu/reduce_lanes.hpp>
#include <placement/cpu/row_partition.hpp>
#include <placement/cpu/staging_buffer.hpp>
#include <placement/kernels/cost.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 {

template <class Op, class T> struct kernel<cpu_kernels, reduce, Op, T> {
  static constexpr bool exists = true;

  /// With fewer elements, lanes do not pay off.
  static constexpr index_t short_length =
      detail::reduce_lanes<Op, T>::count == 1 || detail::has_partial<Op, T> ? 16 : 64;
  static constexpr index_t min_chunk_length = 1 << 15;  ///< the least elements per chunk
  static constexpr index_t max_chunks = 64;
  static constexpr index_t block = staging_length;  ///< states that advance side by side

  using state = typename Op::template state<T>;

  /// Reduces all n elements f(0) ... f(n - 1) to *out.
  template <class On, class R, class F, class Epilogue>
  static void contiguous(On const& on, Op const& op, R* out, index_t n, F const& f,
                         Epilogue const& epilogue) {
    reduce_in_chunks(on, op, out, n, n, f, epilogue, [&](index_t begin, index_t end) {
      return reduce_contiguous(op, begin, end, f);
    });
  }

  /// Reduces all elements of shape x, row by row, to *out.
  template <class On, class R, class F, class X, class Epilogue>
  static void strided(On const& on, Op const& op, R* out, X const& x, F const& f,
                      Epilogue const& epilogue) {
    row_partition<X::rank, 1> const partition(x);
    index_t const n = static_cast<index_t>(x.count());
    reduce_in_chunks(
        on, op, out, n, n == 0 ? 0 : partition.count(), f, epilogue,
        [&](index_t begin, index_t end) { return reduce_partition(op, partition, begin, end, f); });
  }

  /// Reduces along the last dimension of shape x: one result per row, written to out in order.
  template <class On, class F, class X, class R, class Epilogue>
  static void last_axis(On const& on, Op const& op, R* out, X const& x, F const& f,
                        Epilogue const& epilogue) {
    auto const outer = with_one_along(x, X::rank - 1);
    index_t const rows = static_cast<index_t>(outer.count()), n = row_length(x);
    on.parallel_for({rows, 1, x.count() * detail::cost_per_element_of<F>, 0},
                    [&](work_chunk const& chunk) {
                      staging_buffer<F> staged(f);
                      for (index_t o = chunk.begin; o != chunk.end; ++o) {
                        staged.row(coordinates_of(o, outer), n);
                        out[o] = op.finalize(reduce_row(op, staged, 0, n, 0), n);
                        epilogue(o, 1);
                      }
                    });
  }

  /// Reduces along dimension `axis` of shape x, which is not the last. Blocks of a row advance
  /// together.
  template <class On, class F, class X, class R, class Epilogue>
  static void inner_axis(On const& on, Op const& op, R* out, X const& x, std::size_t axis,
                         F const& f, Epilogue const& epilogue) {
    auto const outer = with_one_along(x, axis);
    index_t const n = row_length(x), depth = x.at(axis);
    index_t const blocks = (n + block - 1) / block;  // blocks per row of results
    index_t const rows = n == 0 ? 0 : static_cast<index_t>(outer.count()) / n;
    on.parallel_for({rows * blocks, 1, x.count() * detail::cost_per_element_of<F>, 0},
                    [&](work_chunk const& chunk) {
                      staging_buffer<F> staged(f);
                      for (index_t unit = chunk.begin; unit != chunk.end; ++unit) {
                        index_t const from = unit % blocks * block, o = unit / blocks * n + from;
                        index_t const width = n - from < block ? n - from : block;
                        auto c = coordinates_of(unit / blocks * n, outer);
                        state s[block];
                        for (index_t j = 0; j != width; ++j) s[j] = Op::template init<T>();
                        auto const stage = [&](index_t k) {
                          c.at[axis] = k;
                          staged.row(c, width);
                          staged.to(from, width);
                        };
                        accumulate_rows(op, s, width, depth, stage, staged);
                        for (index_t j = 0; j != width; ++j) out[o + j] = op.finalize(s[j], depth);
                        epilogue(o, width);
                      }
                    });
  }

 private:
  /// x with extent 1 along the axis, so that an empty axis also has results.
  template <class X> static dextents<X::rank> with_one_along(X const& x, std::size_t axis) {
    dextents<X::rank> outer;
    for (std::size_t d = 0; d != X::rank; ++d) outer.n[d] = d == axis ? 1 : x.at(d);
    return outer;
  }

  /// Reduces n elements in `units` pieces; do_chunk reduces a range of them.
  template <class On, class R, class F, class Epilogue, class Chunk>
  static void reduce_in_chunks(On const& on, Op const& op, R* out, index_t n, index_t units,
                               F const&, Epilogue const& epilogue, Chunk const& do_chunk) {
    index_t const wanted = n / min_chunk_length < max_chunks ? n / min_chunk_length : max_chunks;
    index_t const chunks = wanted < units ? wanted : units;
    if (chunks <= 1) {
      *out = op.finalize(do_chunk(0, units), n);
    } else {
      state s[max_chunks];
      auto const count = static_cast<std::size_t>(n);
      on.parallel_for(
          {chunks, 1, count * detail::cost_per_element_of<F>, 0}, [&](work_chunk const& chunk) {
            for (index_t p = chunk.begin; p != chunk.end; ++p)
              s[p] = do_chunk(begin_of(p, chunks, units), begin_of(p + 1, chunks, units));
          });
      for (index_t p = 1; p != chunks; ++p) s[0] = op.combine(s[0], s[p]);
      *out = op.finalize(s[0], n);
    }
    epilogue(0, 1);
  }
  static index_t begin_of(index_t chunk, index_t chunks, index_t units) {
    return units / chunks * chunk + units % chunks * chunk / chunks;
  }

  template <class F>
  static state reduce_contiguous(Op const& op, index_t begin, index_t end, F const& f) {
    if (end - begin < short_length) {
      state s = Op::template init<T>();
      for (index_t i = begin; i != end; ++i) s = op.step(s, f(i), i);
      return s;
    }
    detail::reduce_lanes<Op, T> lanes(op);
    F const own = f;  // nothing else can point to the copy: its values stay in registers
    lanes.accumulate([&](index_t i) __attribute__((always_inline)) { return own(begin + i); },
                     end - begin, begin);
    return lanes.combined();
  }

  /// Reduces the columns [begin, end) of the staged row; column `begin` has index `first`.
  template <class Staged>
  static state reduce_row(Op const& op, Staged& staged, index_t begin, index_t end, index_t first) {
    if (end - begin < short_length) {
      staged.to(begin, end - begin);
      state s = Op::template init<T>();
      for (index_t j = 0; j < end - begin; ++j) s = op.step(s, staged(j), first + j);
      return s;
    }
    detail::reduce_lanes<Op, T> lanes(op);
    index_t const reach = staged.reach();
    for (index_t j = begin; j < end; j += reach) {
      index_t const n = end - j < reach ? end - j : reach;
      staged.to(j, n);
      auto const row = staged.in_place(0);
      lanes.accumulate(row, n, first + j - begin);
    }
    return lanes.combined();
  }
  template <class F, std::size_t N>
  static state reduce_partition(Op const& op, row_partition<N, 1> const& partition, index_t begin,
                                index_t end, F const& f) {
    state total = Op::template init<T>();
    if (begin == end) return total;
    staging_buffer<F> staged(f);
    auto at = partition.from(begin);
    for (index_t unit = begin; unit != end; ++unit, partition.next(at)) {
      staged.row(at.row, partition.columns);
      index_t const last = at.column + partition.length;
      total = op.combine(total, reduce_row(op, staged, at.column,
                                           last < partition.columns ? last : partition.columns,
                                           partition.number_of(at)));
    }
    return total;
  }

  /// Accumulates `depth` rows of `width` elements, each element into the state of its column.
  template <class Stage, class Staged>
  static void accumulate_rows(Op const& op, state* s, index_t width, index_t depth,
                              Stage const& stage, Staged const& staged) {
    index_t k = 0;
    if constexpr (detail::has_partial<Op, T>) {
      constexpr index_t group_rows = detail::reduce_lanes<Op, T>::group_length;
      using partial_type = typename Op::template partial_type<T>;
      partial_type some[block];
      for (; depth - k >= group_rows; k += group_rows) {
        stage(k);
        for_columns(width, [&](index_t j) { some[j] = static_cast<partial_type>(staged(j)); });
        for (index_t row = 1; row != group_rows; ++row) {
          stage(k + row);
          for_columns(width, [&](index_t j) { some[j] += static_cast<partial_type>(staged(j)); });
        }
        for_columns(width, [&](index_t j) { s[j] = op.add(s[j], some[j]); });
      }
    }
    for (; k != depth; ++k) {
      stage(k);
      for_columns(width, [&](index_t j) { s[j] = op.step(s[j], staged(j), k); });
    }
  }
  /// Calls f(j) for each column, mostly in loops of a constant length.
  template <class Do>
  [[gnu::always_inline]] static inline void for_columns(index_t n, Do const& f) {
    constexpr index_t loop_chunk = 64;
    index_t const whole = n / loop_chunk * loop_chunk;
    for (index_t i = 0; i != whole; i += loop_chunk) {
      PLACEMENT_SAME_INDEX_ONLY
      for (index_t j = 0; j < loop_chunk; ++j) f(i + j);
    }
    for (index_t j = whole; j < n; ++j) f(j);
  }
};

}}  // namespace placement::v0_1
