#pragma once
/// The GPU kernel of reductions: each row becomes one element, by a group of one to all threads of
/// a block.
///
/// The order in which states are accumulated and combined depends on the shape only. A result is
/// thus equal in every run and on every device.

#include <placement/gpu/accumulate.hpp>
#include <placement/gpu/collapse.hpp>
#include <placement/gpu/tile.hpp>

#include <type_traits>

namespace placement { inline namespace v0_1 {

/// An expression as a single row.
template <class F> struct one_row {
  F f;
  PLACEMENT_HD F const& row(index_t) const { return f; }
};
/// The rows of an expression, by their number.
template <class F, std::size_t R> struct numbered_rows {
  F f;
  numbering<R> shape;
  PLACEMENT_HD auto row(index_t number) const {
    return f.row(shape.row(static_cast<std::uint32_t>(number)));
  }
};
/// The partial states of rows that were reduced in `splits` parts each.
template <class S> struct partial_rows {
  S const* p;
  index_t splits;
  PLACEMENT_HD dense_leaf<S> row(index_t number) const { return {p + number * splits}; }
};

namespace detail {
template <class F> inline constexpr std::size_t widest<one_row<F>> = widest<F>;
template <class F, std::size_t R>
inline constexpr std::size_t widest<numbered_rows<F, R>> = widest<F>;
template <class S> inline constexpr std::size_t widest<partial_rows<S>> = access_bytes;

/// Reduces the states that Op produced from elements of type T. A base class, because nvcc gives
/// some empty members no bytes: see docs/decisions/0033-parameters-of-kernels.md.
template <class Op, class T> struct combining : Op {
  using carried = typename Op::template state<T>;
  template <class> using state = carried;

  template <class> PLACEMENT_HD static constexpr carried init() { return Op::template init<T>(); }
  PLACEMENT_HD constexpr carried step(carried const& s, carried const& x, index_t) const {
    return this->combine(s, x);
  }
};

/// How threads share the work of a reduction.
struct reduce_shape {
  index_t rows = 1, length = 0;
  index_t splits = 1;        ///< parts of a row with a block each.
  index_t split_length = 0;  ///< elements of such a part, a multiple of each access.
  int group_size = 1;        ///< threads of a block that share a row or part of one: a power of 2.
  bool across = false;       ///< neighbouring threads take neighbouring rows, not elements.
  bool vectorized = false;   ///< elements are loaded in vectors of V.

  PLACEMENT_HD constexpr index_t rows_of_block() const { return block_threads / group_size; }
  constexpr index_t blocks() const {
    return (rows + rows_of_block() - 1) / rows_of_block() * splits;
  }
};

/// The least number of accesses per thread of a split row.
inline constexpr index_t accesses_of_split = 16;

/// Rows with contiguous elements, or elements that are read one at a time; V per access if
/// vectorized.
constexpr reduce_shape shape_along(index_t rows, index_t length, int v, bool vectorized) {
  index_t const accesses = (length + v - 1) / v;
  reduce_shape s{.rows = rows, .length = length, .split_length = length, .vectorized = vectorized};
  s.group_size =
      accesses > 32 * 8 ? block_threads : power_of_two_from(accesses < 32 ? accesses : 32);
  return s;
}
/// Rows along a strided dimension: neighbouring rows are neighbours in memory.
constexpr reduce_shape shape_across(index_t rows, index_t length) {
  reduce_shape s{.rows = rows, .length = length, .split_length = length, .across = true};
  index_t const max_group_size = rows >= 32 ? 8 : block_threads / power_of_two_from(rows);
  s.group_size = power_of_two_from(length < max_group_size ? length : max_group_size);
  return s;
}
/// Splits long rows if there are not enough of them to fill a GPU.
constexpr reduce_shape split_rows(reduce_shape s, int v) {
  index_t const least = s.group_size * v * accesses_of_split;
  index_t const wanted = enough_blocks / (s.blocks() > 0 ? s.blocks() : 1);
  index_t const max = s.length / least;
  s.splits = wanted < max ? wanted : max;
  if (s.splits <= 1) {
    s.splits = 1;
    return s;
  }
  index_t const unit = s.group_size * v;
  s.split_length = (s.length / s.splits + unit) / unit * unit;
  s.splits = (s.length + s.split_length - 1) / s.split_length;
  return s;
}

}  // namespace detail

/// out[o] = op over the elements of row o, then epilogue(o, 1). If rows are split, writes the state
/// of each part to `partial` instead. T: the element type of op's state.
template <class Op, class T, class R, class Rows, class Epilogue> struct reduce_kernel {
  using state = typename Op::template state<T>;
  static_assert(sizeof(state) <= 128,
                "placement: the state of a reduction on a GPU has at most 128 bytes. Carry less.");
  struct local {
    state s;
  };
  static constexpr int width = vector_width<char, Rows>;
  static constexpr std::size_t shared_bytes = block_threads * sizeof(state);

  [[no_unique_address]] Op op;
  R* out;
  state* partial;  ///< null if rows are not split
  Rows source;
  Epilogue epilogue;
  detail::reduce_shape shape;
  index_t first_row, first_element;  ///< their indices in the whole
  index_t length_of_all;             ///< elements per row of the whole reduction

  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.each_without_barrier(
        [&](int thread, local& mine) { mine.s = accumulated(block.number(), thread); });
    auto const combined = [&](state const& a, state const& b) { return op.combine(a, b); };
    if (shape.across) combine_across(block, combined);
    else block.combine(shape.group_size, combined);
    block.each_without_barrier([&](int thread, local& mine) {
      if (part_of(thread) == 0) write_result(block.number(), thread, mine.s);
    });
  }

 private:
  PLACEMENT_HD int part_of(int thread) const {
    return shape.across ? thread / static_cast<int>(shape.rows_of_block())
                        : thread % shape.group_size;
  }
  PLACEMENT_HD index_t row_of(index_t block, int thread) const {
    int const rows = static_cast<int>(shape.rows_of_block());
    return block / shape.splits * rows + (shape.across ? thread % rows : thread / shape.group_size);
  }

  PLACEMENT_HD state accumulated(index_t block, int thread) const {
    index_t const o = row_of(block, thread);
    state s = Op::template init<T>();
    if (o >= shape.rows) return s;
    index_t const begin = block % shape.splits * shape.split_length;
    index_t const end =
        shape.length - begin < shape.split_length ? shape.length : begin + shape.split_length;
    auto const& row = source.row(o);
    if (shape.vectorized) return along<width>(row, begin, end, part_of(thread), s);
    return along<1>(row, begin, end, part_of(thread), s);
  }
  /// The vectors of a thread that around_accumulator takes before it is combined with the state.
  static constexpr index_t around_vectors = 32;

  /// Accumulates into s each vector of this thread from `begin` on.
  template <int V, class Row>
  PLACEMENT_HD state along(Row const& row, index_t begin, index_t end, int part, state s) const {
    index_t const step = static_cast<index_t>(shape.group_size) * V;
    index_t j = begin + static_cast<index_t>(part) * V;
    using element = std::remove_cvref_t<decltype(row(j))>;
    if constexpr (detail::sums_around<Op, T, element>) {
      PLACEMENT_ROLLED
      while (j < end) {
        index_t const stop = end - j < around_vectors * step ? end : j + around_vectors * step;
        detail::around_accumulator<Op, T> sums{static_cast<double>(row(j))};
        j = accumulate<V>(row, j, stop, step, sums);
        s = op.combine(s, sums.state());
      }
      return s;
    } else {
      using accumulator =
          std::conditional_t<detail::adds_partially<Op, T, element>,
                             detail::partial_accumulator<Op, T>, detail::step_accumulator<Op, T>>;
      accumulator all{op, s};
      accumulate<V>(row, j, end, step, all);
      return all.s;
    }
  }
  /// Adds to `all` each vector at a distance of `step` from j to `end`, several loaded at a time.
  /// Returns where the next vector of this thread begins, or `end`.
  template <int V, class Row, class Accumulator>
  PLACEMENT_HD index_t accumulate(Row const& row, index_t j, index_t end, index_t step,
                                  Accumulator& all) const {
    if constexpr (sizeof(T) <=
                  16) {  // states as elements: one at a time is enough for the registers
      constexpr int N = detail::vectors_in_flight<V>;
      PLACEMENT_ROLLED
      for (; j + (N - 1) * step + V <= end; j += N * step)
        add_several<V>(row, j, step, all, std::make_integer_sequence<int, N>{});
    }
    PLACEMENT_ROLLED
    for (; j + V <= end; j += step) {
      auto const loaded = row.template vec<V>(j);
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) all.add(loaded(v), first_element + j + v);
    }
    PLACEMENT_ROLLED
    for (; j < end; ++j) all.add(row(j), first_element + j);  // less than a vector is left
    return j;
  }

  template <int V, class Row, class Accumulator, int... K>
  PLACEMENT_HD void add_several(Row const& row, index_t j, index_t step, Accumulator& all,
                                std::integer_sequence<int, K...>) const {
    decltype(row.template vec<V>(j)) const loaded[]{row.template vec<V>(j + K * step)...};
    all.template add_vectors<V>(loaded, first_element + j, step);
  }

  template <class Block, class Combine>
  PLACEMENT_DEVICE void combine_across(Block& block, Combine const& combined) const {
    state* const all = static_cast<state*>(block.shared());
    int const rows = static_cast<int>(shape.rows_of_block());
    block.each([&](int thread, local& mine) { all[thread] = mine.s; });
    for (int half = shape.group_size / 2; half > 0; half /= 2)
      block.each([&](int thread, local&) {
        if (thread < half * rows) all[thread] = combined(all[thread], all[thread + half * rows]);
      });
    block.each([&](int thread, local& mine) { mine.s = all[thread]; });
  }

  PLACEMENT_HD void write_result(index_t block, int thread, state const& s) const {
    index_t const o = row_of(block, thread);
    if (o >= shape.rows) return;
    if (partial != nullptr) {
      partial[o * shape.splits + block % shape.splits] = s;
    } else {
      out[first_row + o] = op.finalize(s, length_of_all);
      epilogue(first_row + o, 1);
    }
  }
};

}}  // namespace placement::v0_1
