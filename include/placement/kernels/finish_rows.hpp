#pragma once
/// What follows a product in its kernel, on the CPU: finished rows are reworked while they are in a
/// cache, in the vector loops that element-wise regions have.

#include <placement/kernels/job.hpp>
#include <placement/kernels/loop.hpp>
#include <placement/kernels/window.hpp>

namespace placement::inline v0_1::detail {

/// Finished elements of a product: `n` of each of `count` rows, from (row, column) on. Rows are
/// numbered through the batch and have `columns` elements.
struct finished_part {
  index_t row, count, column, n, columns;

  constexpr index_t first_of(index_t i) const { return (row + i) * columns + column; }
};
/// Elements that are reworked at once. Of 16 or fewer g++ -O3 would make no loop, and no vectors.
inline constexpr index_t finished_at_once = PLACEMENT_LOOP_CHUNK / 2;

/// How many of so many rows, from c on, are seen together: of one matrix.
template <std::size_t R, class X>
constexpr index_t rows_together(coordinates<R> const& c, X const& x, index_t count) {
  if constexpr (R < 2) return 1;
  else {
    index_t const left = x.at(R - 2) - c.at[R - 2], most = left < turned_rows ? left : turned_rows;
    return count < most ? count : most;
  }
}

/// Reworks them.
template <class After> void finish_rows(After const& after, finished_part const& p) {
  for (index_t i = 0; i != p.count; ++i) after(p.first_of(i), p.n);
}
template <class T, class F>
void finish_rows(flat_after<T, F> const& after, finished_part const& p) {
  F const f = after.f;
  for (index_t i = 0; i != p.count; ++i) {
    index_t const first = p.first_of(i);
    write_each<finished_at_once>(after.out + first, p.n,
                                 [&](index_t j)
                                     __attribute__((always_inline)) { return f(first + j); });
  }
}
template <class T, class F, class X>
void finish_rows(rows_after<T, F, X> const& after, finished_part const& p) {
  window<F> seen(after.f);
  bool const one_by_one = seen.is_copied(p.columns) || seen.is_turned();
  auto c = coordinates_of(p.row * p.columns, after.shape);
  for (index_t i = 0, rows = 1; i != p.count; i += rows) {
    rows = one_by_one ? 1 : rows_together(c, after.shape, p.count - i);
    seen.row(c, p.columns, rows);
    for (index_t j = 0; j < p.n; j += window_length) {
      index_t const width = p.n - j < window_length ? p.n - j : window_length;
      seen.to(p.column + j, width);
      for (index_t r = 0; r != rows; ++r) {
        auto const row = seen.in_place(r);  // a copy that nothing that is written can change
        write_each<finished_at_once>(after.out + p.first_of(i + r) + j, width, row);
      }
    }
    for (index_t r = 0; r != rows; ++r) next_row(c, after.shape);
  }
}

}  // namespace placement::inline v0_1::detail
