#pragma once
/// Reads the elements of an expression through its block kernel, for reductions. What depends on
/// neither the expression nor the op is compiled once.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/parallel_for.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Computes elements of an expression into memory of its own. Each thread has one.
class block_reader;

/// The most elements of one read.
inline constexpr index_t max_read = 2048 + 64;
/// How many of the `left` elements that remain are read next: all, or a multiple of what
/// reduce_lanes adds at a time.
constexpr index_t read_length(index_t left) {
  constexpr index_t length = 2048;
  return left <= max_read ? left : length;
}

/// Elements [first, first + n) of the shape in row-major order, n at most max_read. They are valid
/// until the next call. Cost: none where the expression is an operand that lies so in memory.
void const* read_elements(block_reader& from, index_t first, index_t n);

/// Columns of all rows of a matrix, for a reduction along the rows. result: the number of the first
/// column among all results.
struct column_tile {
  index_t matrix, column, columns, rows, result;
};
/// Rows of a tile are read in multiples of this number, except for the last.
inline constexpr index_t tile_row_group = 8;
static_assert(max_tile_columns * tile_row_group <= max_read);
/// Some rows of a tile. pitch: bytes from row to row.
struct tile_rows {
  void const* data = nullptr;
  index_t pitch = 0, begin = 0, end = 0;
};
/// Rows of a tile from `row` on. They are valid until the next call.
tile_rows read_rows(block_reader& from, column_tile const& tile, index_t row);

using reading_function = void (*)(void const* work, block_reader&, work_chunk const&);
using tile_function = void (*)(void const* work, block_reader&, column_tile const&);

/// Calls each(work, reader, chunk) for chunks of the work, on several threads. axis: the dimension
/// of the shape whose elements are read one after another; the last one for row-major order.
void run_with_readers(block_call const&, any_shape const&, std::size_t axis, work_size const&, par,
                      reading_function each, void const* work);
/// Is a reduction along dimension `axis` faster by tiles than fiber by fiber? Where the operands'
/// elements are adjacent across the fibers. Both orders need a rank of at least 2.
bool prefers_tiles(block_call const&, any_shape const&, std::size_t axis);
/// Calls each(work, reader, tile) for tiles whose rows are dimension `axis` of the shape, and whose
/// columns the last other one. cost: of all elements.
void run_on_tiles(block_call const&, any_shape const&, std::size_t axis, std::size_t cost, par,
                  tile_function each, void const* work);

/// f(reader, chunk) for chunks of the work.
template <class F>
void with_readers(block_call const& call, any_shape const& shape, std::size_t axis,
                  work_size const& size, par on, F const& f) {
  run_with_readers(
      call, shape, axis, size, on,
      [](void const* work, block_reader& reader, work_chunk const& chunk) {
        (*static_cast<F const*>(work))(reader, chunk);
      },
      &f);
}
/// f(reader, tile) for each tile.
template <class F>
void on_tiles(block_call const& call, any_shape const& shape, std::size_t axis, std::size_t cost,
              par on, F const& f) {
  run_on_tiles(
      call, shape, axis, cost, on,
      [](void const* work, block_reader& reader, column_tile const& tile) {
        (*static_cast<F const*>(work))(reader, tile);
      },
      &f);
}

}}}  // namespace placement::v0_1::detail
