#pragma once
/// Reductions of the elements that a block kernel computes. They depend on the op and the type of
/// the elements only, so that all expressions share them.

#include <placement/cpu/by_level.hpp>
#include <placement/cpu/reduce_lanes.hpp>
#include <placement/cpu/reduce_selected.hpp>
#include <placement/cpu/totals.hpp>
#include <placement/kernels/kernel_set.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Reductions of elements that block kernels compute. One class serves all expressions with
/// elements of type T.
template <class Op, class T, class K = cpu_kernels> class reduce_blocks {
 public:
  using state = typename Op::template state<T>;

  /// With fewer elements, lanes do not pay off.
  static constexpr index_t short_length =
      reduce_lanes<Op, T>::count == 1 || has_partial<Op, T> ? 16 : 64;

  explicit reduce_blocks(Op const& op) : op_(op) {}

  /// The state of n elements in memory, which have the numbers first, first + 1, ...
  [[gnu::noinline]] state of(T const* p, index_t n, index_t first) const {
    if constexpr (totals::exists) return totals::of({block_form::operand, p, p}, n);
    else if (n < short_length) return step_through<Op>(op_, p, n, first);
    reduce_lanes<Op, T> lanes(op_);
    add(lanes, p, n, first);
    return lanes.combined();
  }
  /// Whether contiguous operands are reduced in place, without a call of the block kernel.
  static bool reads_in_place(block_call const& call) {
    return call.is_operand() || totals::reads(call.form);
  }
  /// The state of n elements of operands that begin at `in`. Requires: n is at most max_read, or
  /// reads_in_place().
  state of_inputs(block_call const& call, block_input const* in, index_t n) const {
    auto const at = [&](unsigned k) { return static_cast<T const*>(in[k].data); };
    if constexpr (totals::exists)
      if (totals::reads(call.form)) return totals::of({call.form, at(0), at(call.operands - 1)}, n);
    if (call.is_operand()) return of(at(0), n, 0);
    alignas(64) T some[static_cast<std::size_t>(max_read)];
    call.run(call.expr, some, in, n);
    return of(some, n, 0);
  }
  /// The state of the elements [begin, end) of a shape; `first`: the number of the first.
  [[gnu::noinline]] state of(block_reader& from, index_t begin, index_t end, index_t first) const {
    if constexpr (totals::exists) return totals::of(from, begin, end);
    else if (end - begin <= max_read) return of(read(from, begin, end - begin), end - begin, first);
    if (operands_in_place const at = find_in_place(from, begin, end - begin);
        at.left != nullptr && at.form == block_form::operand)
      return of(static_cast<T const*>(at.left), end - begin, first);
    reduce_lanes<Op, T> lanes(op_);
    each_read<T>(from, begin, end,
                 [&](T const* p, index_t i, index_t n) { add(lanes, p, n, first + i - begin); });
    return lanes.combined();
  }
  /// out[i] is the reduction of n elements from i * n on, for i in [begin, end).
  template <class R>
  void rows(block_reader& from, R* out, index_t begin, index_t end, index_t n) const {
    index_t const together = n == 0 ? end - begin : n < max_read ? max_read / n : 1;
    for (index_t i = begin; i < end; i += together) {
      index_t const stop = end - i < together ? end : i + together;
      if (together == 1) out[i] = op_.finalize(of(from, i * n, (i + 1) * n, 0), n);
      else some_rows(from, out, i, stop, n);
    }
  }
  /// One result for each fiber of outer x depth x inner elements in memory, along the second
  /// dimension.
  template <class R>
  void fibers(T const* p, index_t outer, index_t depth, index_t inner, R* out) const {
    if (inner == 1) {
      for (index_t o = 0; o != outer; ++o)
        out[o] = op_.finalize(of(p + o * depth, depth, 0), depth);
      return;
    }
    for (index_t o = 0; o != outer; ++o)
      for (index_t i = 0; i != inner; ++i) {
        T const* const first = p + o * depth * inner + i;
        state s = Op::template init<T>();
        for (index_t k = 0; k != depth; ++k) s = op_.step(s, first[k * inner], k);
        *out++ = op_.finalize(s, depth);
      }
  }
  /// One result for each column of a tile.
  template <class R>
  [[gnu::noinline]] void columns(block_reader& from, column_tile const& tile, R* out) const {
    if constexpr (sums_elements<Op, T>) {
      reduce_totals<Op, T>(op_).columns(from, tile, out);
    } else {
      index_t const n = tile.columns, depth = tile.matrices * tile.rows;
      R* const results = out + tile.result;
      state s[max_tile_columns];
      for_columns(n, [&](index_t j) { s[j] = Op::template init<T>(); });
      for (column_tile one = tile; one.matrix != tile.matrix + tile.matrices; ++one.matrix)
        add_rows(s, from, one, (one.matrix - tile.matrix) * tile.rows);
      for_columns(n, [&](index_t j) { results[j] = op_.finalize(s[j], depth); });
    }
  }
  /// The states of the n columns of a matrix, from its rows [begin, end). The first element of row
  /// k is read as number first + k * n. Several rows are one row of a wider matrix, whose columns
  /// are combined. Requires: n is at most max_tile_columns.
  [[gnu::noinline]] void adjacent(block_reader& from, index_t first, index_t begin, index_t end,
                                  index_t n, state* out) const {
    index_t const joined = joined_rows(end - begin, n), width = joined * n,
                  most = max_read / width / group * group;
    state s[max_tile_columns];
    index_t row_in_joined[max_tile_columns];
    for (index_t j = 0, row = 0; j != width; ++row)
      for (index_t const next = j + n; j != next; ++j) {
        s[j] = Op::template init<T>();
        row_in_joined[j] = row;
      }
    index_t k = begin;
    while (end - k >= joined) {
      index_t const left = (end - k) / joined, rows = left < most ? left : most;
      add_joined(s, read(from, first + k * n, rows * width), {k, joined, rows, width},
                 row_in_joined);
      k += rows * joined;
    }
    if (k != end) {
      T const* const p = read(from, first + k * n, (end - k) * n);
      for (index_t j = 0; j != (end - k) * n; ++j) s[j] = op_.step(s[j], p[j], k + j / n);
    }
    combine_columns(s, joined, n);
    for (index_t j = 0; j != n; ++j) out[j] = s[j];
  }

 private:
  using totals = total<Op, T>;
  static constexpr index_t group = reduce_lanes<Op, T>::group_length;
  static_assert(group == tile_row_group);

  /// Rows of a matrix, each of which is `joined` rows of another. first: the first one's number
  /// there.
  struct joined_matrix {
    index_t first, joined, rows, width;
  };
  /// How many rows of n elements are joined: they fill a tile, and there are some such rows.
  static index_t joined_rows(index_t rows, index_t n) {
    index_t const most = max_tile_columns / n, enough = rows / 4,
                  joined = most < enough ? most : enough;
    return joined < 1 ? 1 : joined < 16 ? joined : joined / 16 * 16;
  }
  void add_joined(state* s, T const* p, joined_matrix const& m,
                  index_t const* row_in_joined) const {
    run_by_level(adding_joined_rows{*this, s, p, m, row_in_joined});
  }
  struct adding_joined_rows {
    reduce_blocks const& own;
    state* s;
    T const* p;
    joined_matrix const& m;
    index_t const* row_in_joined;
    PLACEMENT_ALWAYS_INLINE void operator()() const {
      tile_rows const some{p, m.width * static_cast<index_t>(sizeof(T)), 0, m.rows};
      index_t r = 0;
      if constexpr (has_partial<Op, T>)
        for (; m.rows - r >= group; r += group) own.add_group(s, some, r, m.width);
      for (; r != m.rows; ++r) {
        T const* const row = p + r * m.width;
        index_t const number = m.first + r * m.joined;
        for_columns(m.width, [&](index_t j) PLACEMENT_ALWAYS_INLINE {
          s[j] = own.op_.step(s[j], row[j], number + row_in_joined[j]);
        });
      }
    }
  };
  /// Combines the states of n columns with those of the next n, and so on: neighbours last.
  void combine_columns(state* s, index_t joined, index_t n) const {
    while (joined > 1) {
      index_t const half = (joined + 1) / 2;
      state* const other = s + half * n;
      for_columns((joined - half) * n, [&](index_t j) { s[j] = op_.combine(s[j], other[j]); });
      joined = half;
    }
  }
  PLACEMENT_ALWAYS_INLINE static inline T const* row_of(tile_rows const& some, index_t row) {
    return reinterpret_cast<T const*>(static_cast<unsigned char const*>(some.data) +
                                      (row - some.begin) * some.pitch);
  }
  /// Adds the rows of a matrix to the states of its columns. first: the number of its first
  /// element.
  void add_rows(state* s, block_reader& from, column_tile const& tile, index_t first) const {
    index_t const n = tile.columns;
    for (index_t k = 0; k != tile.rows;) {
      tile_rows const some = read_rows(from, tile, k);
      run_by_level(adding_rows{*this, s, some, {k, n, first}});
      k = some.end;
    }
  }
  /// Rows from `begin` on, of n columns. first: the number of row 0.
  struct row_numbers {
    index_t begin, n, first;
  };
  struct adding_rows {
    reduce_blocks const& own;
    state* s;
    tile_rows const& some;
    row_numbers rows;
    PLACEMENT_ALWAYS_INLINE void operator()() const {
      index_t k = rows.begin;
      if constexpr (has_partial<Op, T>)
        for (; some.end - k >= group; k += group) own.add_group(s, some, k, rows.n);
      for (; k != some.end; ++k) {
        T const* const row = row_of(some, k);
        for_columns(rows.n, [&](index_t j) PLACEMENT_ALWAYS_INLINE {
          s[j] = own.op_.step(s[j], row[j], rows.first + k);
        });
      }
    }
  };
  static T const* read(block_reader& from, index_t first, index_t n) {
    return static_cast<T const*>(read_elements(from, first, n));
  }
  /// The rows [begin, end), whose elements are read together.
  template <class R>
  [[gnu::noinline]] void some_rows(block_reader& from, R* out, index_t begin, index_t end,
                                   index_t n) const {
    if constexpr (totals::exists)
      totals::each(from, begin * n, end - begin, n,
                   [&](index_t i, state const& s) { out[begin + i] = op_.finalize(s, n); });
    else if constexpr (selects_elements<Op, T>)
      reduce_selected<Op, T>(op_).rows(read(from, begin * n, (end - begin) * n), out + begin,
                                       end - begin, n);
    else
      run_by_level(reducing_rows<R>{*this, read(from, begin * n, (end - begin) * n), out + begin,
                                    end - begin, n});
  }
  template <class R> struct reducing_rows {
    reduce_blocks const& own;
    T const* p;
    R* out;
    index_t rows, n;
    PLACEMENT_ALWAYS_INLINE void operator()() const {
      for (index_t k = 0; k != rows; ++k) {
        T const* const row = p + k * n;
        if (n < short_length) {
          out[k] = own.op_.finalize(step_through<Op>(own.op_, row, n, 0), n);
        } else {
          reduce_lanes<Op, T> lanes(own.op_);
          lanes.accumulate(elements_at<T>{row}, n, 0);
          out[k] = own.op_.finalize(lanes.combined(), n);
        }
      }
    }
  };
  static void add(reduce_lanes<Op, T>& lanes, T const* p, index_t n, index_t first) {
    if constexpr (selects_elements<Op, T>) lanes.accumulate(elements_at<T>{p}, n, first);
    else run_by_level(adding_elements{lanes, p, n, first});
  }
  struct adding_elements {
    reduce_lanes<Op, T>& lanes;
    T const* p;
    index_t n, first;
    PLACEMENT_ALWAYS_INLINE void operator()() const {
      lanes.accumulate(elements_at<T>{p}, n, first);
    }
  };
  /// Adds the sums of eight rows, from row k on, to the states of their columns.
  PLACEMENT_ALWAYS_INLINE inline void add_group(state* s, tile_rows const& some, index_t k,
                                                index_t n) const {
    using partial = typename Op::template partial_type<T>;
    T const *a = row_of(some, k), *b = row_of(some, k + 1), *c = row_of(some, k + 2),
            *d = row_of(some, k + 3), *e = row_of(some, k + 4), *f = row_of(some, k + 5),
            *g = row_of(some, k + 6), *h = row_of(some, k + 7);
    for_columns(n, [&](index_t j) PLACEMENT_ALWAYS_INLINE {
      partial sum = static_cast<partial>(a[j]) + static_cast<partial>(b[j]);
      sum += static_cast<partial>(c[j]);
      sum += static_cast<partial>(d[j]);
      sum += static_cast<partial>(e[j]);
      sum += static_cast<partial>(f[j]);
      sum += static_cast<partial>(g[j]);
      s[j] = op_.add(s[j], sum + static_cast<partial>(h[j]));
    });
  }
  Op const& op_;
};

}}}  // namespace placement::v0_1::detail
