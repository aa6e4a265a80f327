#pragma once
/// Finished elements of a product or reduction on the CPU, and the function that is called for them
/// while they are in a cache.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// `n` elements of each of `count` rows, from (row, column) on. Rows are numbered across the batch
/// and have `columns` elements.
struct finished_tile {
  index_t row, count, column, n, columns;
};
/// Calls f(first, n) for each run of adjacent elements of the tile, which may be several rows.
/// first: the number of its first element.
template <class F> void for_each_run_of(finished_tile const& p, F const& f) {
  if (p.n == 0 || p.count == 0) return;
  if (p.n == p.columns) return f(p.row * p.columns, p.count * p.n);
  for (index_t i = 0; i != p.count; ++i) f((p.row + i) * p.columns + p.column, p.n);
}

/// Called for finished elements of a result whose rows have `columns` elements.
struct epilogue_callback {
  void const* context = nullptr;
  void (*call)(void const* context, finished_tile const&) = nullptr;  ///< nullptr: no epilogue
  index_t columns = 0;
  index_t from_column = 0;  ///< the first column of the multiplied part

  void operator()(finished_tile const& tile) const {
    if (call != nullptr) call(context, tile);
  }
  /// For `n` columns of each of `rows` rows, from (row, column) of the multiplied part on.
  void operator()(index_t row, index_t rows, index_t column, index_t n) const {
    (*this)({row, rows, from_column + column, n, columns});
  }
};

}}}  // namespace placement::v0_1::detail
