#pragma once
/// Totals, which are sums and products of float and double: of the elements that block kernels
/// compute, or of operands in place. The loops are compiled once.

#include <placement/cpu/block_reader.hpp>
#include <placement/cpu/for_columns.hpp>
#include <placement/cpu/product_elements.hpp>
#include <placement/cpu/sum_columns.hpp>
#include <placement/cpu/sum_elements.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// f(p, i, n) for the elements [begin, end), in pieces of n elements from number i on.
template <class T, class F>
void each_read(block_reader& from, index_t begin, index_t end, F const& f) {
  for (index_t i = begin, n = 0; i != end; i += n) {
    n = read_length(end - i);
    f(static_cast<T const*>(read_elements(from, i, n)), i, n);
  }
}

/// Elements [first, first + n) in their operands, or as the block kernel computes them. Of more
/// than max_read elements that are not in their operands: null.
template <class T> summands<T> find_summands(block_reader& from, index_t first, index_t n) {
  operands_in_place at = n == 0 ? operands_in_place{} : find_in_place(from, first, n);
  if (at.left == nullptr && n <= max_read) {
    at.form = block_form::operand;
    at.left = at.right = read_elements(from, first, n);
  }
  return {at.form, static_cast<T const*>(at.left), static_cast<T const*>(at.right)};
}

/// The sum of n elements of operands in memory.
template <class T> double sum_of(summands<T> const& all, index_t n) {
  double sum = 0;
  sum_rows(&sum, all, 1, n);
  return sum;
}
/// The sum of the elements [begin, end) of a shape.
template <class T> double sum_of(block_reader& from, index_t begin, index_t end) {
  summands<T> const all = find_summands<T>(from, begin, end - begin);
  if (all.left != nullptr) return sum_of(all, end - begin);
  lanes_of_sum lanes;
  each_read<T>(from, begin, end, [&](T const* p, index_t, index_t n) {
    add_to_lanes(lanes, {block_form::operand, p, p}, n);
  });
  return lanes.combined();
}

/// f(i, sum) for the sums of some rows of n elements. i: the row.
template <class T, class F> void each_sum(summands<T> all, index_t rows, index_t n, F const& f) {
  constexpr index_t most = 64;
  double sums[most];
  for (index_t i = 0; i < rows; i += most) {
    index_t const some = rows - i < most ? rows - i : most;
    sum_rows(sums, all, some, n, (rows - i - some) * n);
    for_columns(some, [&](index_t k) PLACEMENT_ALWAYS_INLINE { f(i + k, sums[k]); });
    all.left += some * n;
    all.right += some * n;
  }
}

/// The sums of the columns of a tile.
template <class T>
void sum_tile(sums_of_columns& sums, block_reader& from, column_tile const& tile) {
  column_tile one = tile;
  for (; one.matrix != tile.matrix + tile.matrices; ++one.matrix)
    for (index_t k = 0; k != one.rows;) {
      tile_rows const some = read_rows(from, one, k);
      add_to_columns(sums, {static_cast<T const*>(some.data), some.pitch, some.end - k},
                     one.columns);
      k = some.end;
    }
  finish_columns(sums, T{}, tile.columns);
}

/// The product of n elements in memory.
template <class T> double product_of(T const* p, index_t n) {
  double product = 1;
  multiply_rows(&product, p, 1, n);
  return product;
}
/// The product of the elements [begin, end) of a shape.
template <class T> double product_of(block_reader& from, index_t begin, index_t end) {
  if (end - begin <= max_read)
    return product_of(static_cast<T const*>(read_elements(from, begin, end - begin)), end - begin);
  lanes_of_product lanes;
  each_read<T>(from, begin, end,
               [&](T const* p, index_t, index_t n) { multiply_lanes(lanes, p, n); });
  return lanes.combined();
}
/// f(i, product) for the products of some rows of n elements. i: the row.
template <class T, class F> void each_product(T const* p, index_t rows, index_t n, F const& f) {
  constexpr index_t most = 64;
  double products[most];
  for (index_t i = 0; i < rows; i += most) {
    index_t const some = rows - i < most ? rows - i : most;
    multiply_rows(products, p + i * n, some, n);
    for (index_t k = 0; k != some; ++k) f(i + k, products[k]);
  }
}

/// The states of an op by its compiled loops. This one has none.
template <class Op, class T> struct total {
  static constexpr bool exists = false;
  static constexpr bool reads(block_form) { return false; }
};

template <class Op, class T> requires sums_elements<Op, T>
struct total<Op, T> {
  static constexpr bool exists = true;
  using state = typename Op::template state<T>;

  /// Whether the operands of such a block kernel are read in place.
  static constexpr bool reads(block_form form) { return form != block_form::any; }
  /// The state of n elements of operands in memory.
  static state of(summands<T> const& all, index_t n) { return with(sum_of(all, n)); }
  /// The state of the elements [begin, end) of a shape.
  static state of(block_reader& from, index_t begin, index_t end) {
    return with(sum_of<T>(from, begin, end));
  }
  /// f(i, state) for some rows of n elements, from element `first` on. They are read together.
  template <class F>
  static void each(block_reader& from, index_t first, index_t rows, index_t n, F const& f) {
    each(find_summands<T>(from, first, rows * n), rows, n, f);
  }
  template <class F> static void each(summands<T> const& all, index_t rows, index_t n, F const& f) {
    each_sum(all, rows, n, [&](index_t i, double sum) { f(i, with(sum)); });
  }
  static state with(double sum) { return Op::template state_of_sum<T>(sum); }
};

template <class Op, class T> requires multiplies_elements<Op, T>
struct total<Op, T> {
  static constexpr bool exists = true;
  using state = typename Op::template state<T>;

  static constexpr bool reads(block_form form) { return form == block_form::operand; }
  static state of(summands<T> const& all, index_t n) { return with(product_of(all.left, n)); }
  static state of(block_reader& from, index_t begin, index_t end) {
    return with(product_of<T>(from, begin, end));
  }
  template <class F>
  static void each(block_reader& from, index_t first, index_t rows, index_t n, F const& f) {
    T const* const p = static_cast<T const*>(read_elements(from, first, rows * n));
    each({block_form::operand, p, p}, rows, n, f);
  }
  template <class F> static void each(summands<T> const& all, index_t rows, index_t n, F const& f) {
    each_product(all.left, rows, n, [&](index_t i, double product) { f(i, with(product)); });
  }
  static state with(double product) { return Op::template state_of_product<T>(product); }
};

template <class Op, class T> class reduce_totals {
 public:
  explicit reduce_totals(Op const& op) : op_(op) {}

  /// One result for each column of a tile.
  template <class R>
  void columns(block_reader& from, column_tile const& tile, R* out) const
      requires sums_elements<Op, T>
  {
    sums_of_columns sums(tile.columns);
    sum_tile<T>(sums, from, tile);
    finish(sums, tile.columns, tile.matrices * tile.rows, out + tile.result);
  }
  /// All results of operands without gaps, if the order of fibers is one that is read in place.
  /// Returns whether it is. The results have the bits of those that a reader reads.
  template <class R>
  bool in_place(block_call const& call, any_shape const& x, axis_extents const& by,
                fiber_order order, R* out) const {
    bool const has_rows = by.inner == 1 && order == fiber_order::one_by_one,
               has_columns = sums_elements<Op, T> && order == fiber_order::tiles && by.inner != 1;
    if ((!has_rows && !has_columns) || !total<Op, T>::reads(call.form)) return false;
    operands_in_place const at = find_in_place(call, x);
    if (at.left == nullptr || (has_columns && at.form != block_form::operand)) return false;
    summands<T> const all{at.form, static_cast<T const*>(at.left), static_cast<T const*>(at.right)};
    if (has_rows)
      total<Op, T>::each(all, by.outer, by.depth,
                         [&](index_t i, auto const& s) { out[i] = op_.finalize(s, by.depth); });
    else if constexpr (sums_elements<Op, T>)
      for (index_t i = 0; i != by.outer; ++i)
        matrix(all.left + i * by.depth * by.inner, by.depth, by.inner, out + i * by.inner);
    return true;
  }

 private:
  /// The columns of one matrix.
  template <class R> void matrix(T const* p, index_t depth, index_t columns, R* out) const {
    for (index_t j = 0, n = 0; j != columns; j += n) {
      n = columns - j < max_tile_columns ? columns - j : max_tile_columns;
      sums_of_columns sums(n);
      add_to_columns(sums, {p + j, columns * static_cast<index_t>(sizeof(T)), depth}, n);
      finish_columns(sums, T{}, n);
      finish(sums, n, depth, out + j);
    }
  }
  template <class R>
  void finish(sums_of_columns const& sums, index_t n, index_t depth, R* out) const {
    for_columns(n, [&](index_t j) PLACEMENT_ALWAYS_INLINE {
      out[j] = op_.finalize(total<Op, T>::with(sums.at[j]), depth);
    });
  }

  Op const& op_;
};

}}}  // namespace placement::v0_1::detail
