#pragma once
/// Products of complex matrices by those of real ones.

#include <placement/cpu/finished_tile.hpp>
#include <placement/cpu/matrix_product.hpp>
#include <placement/cpu/parallel_for.hpp>
#include <placement/cpu/scratch.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

/// A complex product as one of real numbers: rows of a are twice as many reals, and each row of b
/// is two of them, (re, im, ...) and (-im, re, ...). Returns false, without any effect, for small
/// products and without memory for the rows of b.
/// Cost: twice the memory of b. The loops of real products are compiled for several levels.
/// size_of_product() and multiply_chunk() are those of gemm.hpp, for real numbers.
template <class On, class T>
bool multiply_as_reals(On const& on, batch_of_products<T> const& batch,
                       epilogue_callback const& epilogue) {
  using R = typename T::value_type;
  constexpr index_t least_rows = 8, least_products = index_t{12} * 12 * 12;
  bool const one = batch.is_one_matrix();
  index_t const all = batch.all_rows(), rows = one ? all : batch.first.rows;
  index_t const columns = batch.first.columns, depth = batch.first.depth;
  if (rows < least_rows || rows * columns * depth < least_products) return false;
  bool const copies_left = batch.first.a_step != 1;
  index_t const right_size = 4 * columns * depth, left_size = copies_left ? 2 * rows * depth : 0;
  scratch_buffer room;
  auto* const right =
      static_cast<R*>(room.at_least(static_cast<std::size_t>(right_size + left_size) * sizeof(R)));
  if (right == nullptr) return false;
  auto const for_rows = [&](index_t n, index_t length, auto const& row) {
    work_size size{n, 1};
    size.cost = static_cast<std::size_t>(n * length);
    on.parallel_for(size, [&](work_chunk const& chunk) {
      for (index_t i = chunk.begin; i != chunk.end; ++i) row(i);
    });
  };
  for (index_t first = 0; first != all; first += rows) {
    matrix_product<T> p = batch.first;
    if (!one) batch.move_to(first / rows, p);
    for_rows(depth, 2 * columns, [&](index_t k) {
      R *const to = right + 4 * columns * k, *const rotated = to + 2 * columns;
      for (index_t j = 0; j != columns; ++j) {
        T const x = p.b[k * p.b_row + j * p.b_step];
        to[2 * j] = x.real(), to[2 * j + 1] = x.imag();
        rotated[2 * j] = -x.imag(), rotated[2 * j + 1] = x.real();
      }
    });
    if (copies_left) {
      auto* const left = reinterpret_cast<T*>(right + right_size);
      for_rows(rows, depth, [&](index_t i) {
        for (index_t k = 0; k != depth; ++k) left[i * depth + k] = p.a[i * p.a_row + k * p.a_step];
      });
      p.a = left;
      p.a_row = depth;
    }
    batch_of_products<R> const reals{
        {reinterpret_cast<R*>(p.out + first * columns), rows, 2 * columns, 2 * depth,
         reinterpret_cast<R const*>(p.a), 2 * p.a_row, 1, right, 2 * columns, 1},
        0,
        nullptr,
        nullptr,
        nullptr};
    on.parallel_for(size_of_product(reals), [&](work_chunk const& chunk) {
      multiply_chunk(chunk.begin, chunk.end, reals, {});
      epilogue(first + chunk.begin, chunk.end - chunk.begin, 0, columns);
    });
  }
  return true;
}

}}}  // namespace placement::v0_1::detail
