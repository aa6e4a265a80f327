#pragma once
/// The epilogue of a product on the CPU. It is applied to finished rows while they are in a cache,
/// in the vector loops of element-wise ops.

#include <placement/cpu/loop.hpp>
#include <placement/cpu/staging_buffer.hpp>
#include <placement/kernels/kernel_launch.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Finished elements of a product: `n` elements of each of `count` rows, from (row, column) on.
/// Rows are numbered across the batch and have `columns` elements.
struct finished_tile {
  index_t row, count, column, n, columns;

  constexpr index_t first_of(index_t i) const { return (row + i) * columns + column; }
};
/// The elements per vector loop. For 16 or fewer, g++ -O3 makes neither a loop nor vectors.
inline constexpr index_t epilogue_block = PLACEMENT_LOOP_CHUNK / 2;

/// How many of `count` rows from c on are processed together: all belong to one matrix.
template <std::size_t R, class X>
constexpr index_t rows_together(coordinates<R> const& c, X const& x, index_t count) {
  if constexpr (R < 2) return 1;
  else {
    index_t const left = x.at(R - 2) - c.at[R - 2],
                  max = left < transposed_rows ? left : transposed_rows;
    return count < max ? count : max;
  }
}

/// Applies the epilogue to a finished tile.
template <class Epilogue>
void run_epilogue_on_rows(Epilogue const& epilogue, finished_tile const& p) {
  for (index_t i = 0; i != p.count; ++i) epilogue(p.first_of(i), p.n);
}
template <class T, class F>
void run_epilogue_on_rows(contiguous_epilogue<T, F> const& epilogue, finished_tile const& p) {
  F const f = epilogue.f;
  for (index_t i = 0; i != p.count; ++i) {
    index_t const first = p.first_of(i);
    write_each<epilogue_block>(epilogue.out + first, p.n,
                               [&](index_t j)
                                   __attribute__((always_inline)) { return f(first + j); });
  }
}
template <class T, class F, class X>
void run_epilogue_on_rows(strided_epilogue<T, F, X> const& epilogue, finished_tile const& p) {
  staging_buffer<F> staged(epilogue.f);
  bool const one_by_one = staged.is_copied(p.columns) || staged.is_transposed();
  auto c = coordinates_of(p.row * p.columns, epilogue.shape);
  for (index_t i = 0, rows = 1; i != p.count; i += rows) {
    rows = one_by_one ? 1 : rows_together(c, epilogue.shape, p.count - i);
    staged.row(c, p.columns, rows);
    for (index_t j = 0; j < p.n; j += staging_length) {
      index_t const width = p.n - j < staging_length ? p.n - j : staging_length;
      staged.to(p.column + j, width);
      for (index_t r = 0; r != rows; ++r) {
        auto const row = staged.in_place(r);  // a copy that no store can change
        write_each<epilogue_block>(epilogue.out + p.first_of(i + r) + j, width, row);
      }
    }
    for (index_t r = 0; r != rows; ++r) next_row(c, epilogue.shape);
  }
}

}}}  // namespace placement::v0_1::detail
