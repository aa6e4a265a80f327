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

/// Where elements of the operands of a call lie one after another; `left` is null where they do
/// not. right: the second operand of a product.
struct operands_in_place {
  block_form form = block_form::any;
  void const* left = nullptr;
  void const* right = nullptr;
};
/// The place of elements [first, first + n) in the operands of a product, of a magnitude, or of an
/// operand alone. Without a limit for n.
operands_in_place find_in_place(block_reader& from, index_t first, index_t n);
/// The same of all elements of a shape, without a reader.
operands_in_place find_in_place(block_call const& call, any_shape const& shape);

/// Columns of all rows of some matrices, for a reduction along the rows. result: the number of the
/// first column among all results. pitch: the elements from row to row of a tile across matrices; 0
/// for a tile of one.
struct column_tile {
  index_t matrix, matrices, column, columns, rows, result;
  index_t pitch = 0;
};
/// The rows of tiles: dimension `axis` of the shape. The dimensions before it number the matrices,
/// of which so many have one result. A tile across matrices, for matrices == 0, has columns of all
/// matrices; its rows are the last `dimensions` dimensions up to the axis.
struct tile_axis {
  std::size_t axis;
  index_t matrices = 1;
  std::size_t dimensions = 1;
};
/// Rows of a tile are read in multiples of this number, except for the last.
inline constexpr index_t tile_row_group = 8;
static_assert(max_tile_columns * tile_row_group <= max_read);
/// Some rows of a tile. pitch: bytes from row to row.
struct tile_rows {
  void const* data = nullptr;
  index_t pitch = 0, begin = 0, end = 0;
};
/// Rows of the tile's first matrix from `row` on. They are valid until the next call.
tile_rows read_rows(block_reader& from, column_tile const& tile, index_t row);

using reading_function = void (*)(void const* work, block_reader&, work_chunk const&);
using tile_function = void (*)(void const* work, block_reader&, column_tile const&);

/// Calls each(work, reader, chunk) for chunks of the work, on several threads. axis: the dimension
/// of the shape whose elements are read one after another; the last one for row-major order.
void run_with_readers(block_call const&, any_shape const&, std::size_t axis, work_size const&, par,
                      reading_function each, void const* work);
/// The elements of a shape before, along and after an axis.
struct axis_extents {
  index_t outer, depth, inner;
};
/// The order in which the fibers along an axis are read.
enum class fiber_order : unsigned char {
  one_by_one,
  tiles,         ///< adjacent fibers together, of one matrix
  tiles_across,  ///< the same across matrices, for short fibers: their elements are copied
  adjacent,      ///< the adjacent fibers of a matrix, several elements of each together
};
/// The order for dimension `axis`, the last of the reduced ones, which are adjacent.
/// has_short_rows: short fibers whose elements are adjacent are reduced several at once.
fiber_order fiber_order_of(block_call const&, any_shape const&, std::size_t axis,
                           axis_extents const&, bool has_short_rows);
/// Calls each(work, reader, tile) for tiles whose columns are the last dimension that is not
/// `rows`; across matrices, all dimensions that are not reduced. cost: of all elements.
void run_on_tiles(block_call const&, any_shape const&, tile_axis rows, std::size_t cost, par,
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
void on_tiles(block_call const& call, any_shape const& shape, tile_axis rows, std::size_t cost,
              par on, F const& f) {
  run_on_tiles(
      call, shape, rows, cost, on,
      [](void const* work, block_reader& reader, column_tile const& tile) {
        (*static_cast<F const*>(work))(reader, tile);
      },
      &f);
}

}}}  // namespace placement::v0_1::detail
