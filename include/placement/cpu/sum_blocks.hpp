#pragma once
/// Sums of the elements that block kernels compute, or of operands in place.

#include <placement/cpu/block_reader.hpp>
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
    sum_rows(sums, all, some, n);
    for (index_t k = 0; k != some; ++k) f(i + k, sums[k]);
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
      add_to_columns(sums, {static_cast<T const*>(some.data), some.pitch, some.end - k}, one.columns);
      k = some.end;
    }
  finish_columns(sums, T{}, tile.columns);
}

}}}  // namespace placement::v0_1::detail
