#pragma once
/// Sums and products along an axis, by the loops of total.hpp.

#include <placement/cpu/total.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Calls f(j) for each column, mostly in loops of a constant length.
template <class Do>
PLACEMENT_ALWAYS_INLINE inline void for_columns(index_t n, Do const& f) {
  constexpr index_t loop_chunk = 16;
  index_t const whole = n / loop_chunk * loop_chunk;
  for (index_t i = 0; i != whole; i += loop_chunk) {
    PLACEMENT_SAME_INDEX_ONLY_SHORT
    for (index_t j = 0; j < loop_chunk; ++j) f(i + j);
  }
  for (index_t j = whole; j < n; ++j) f(j);
}

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
