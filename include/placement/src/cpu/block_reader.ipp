#pragma once
/// Definitions: readers of elements through block kernels, and epilogues.

#include <placement/config.hpp>
#include <placement/cpu/block_epilogue.hpp>
#include <placement/cpu/block_reader.hpp>
#include <placement/cpu/block_runner.hpp>
#include <placement/cpu/map_blocks.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

class block_reader {
 public:
  block_reader(block_call const& call, operand_walks const& walks)
      : call_(call), walks_(walks), runner_(call, walks) {}

  void const* read(index_t first, index_t n) {
    if (n == 0) return memory_;
    move_to(first);
    if (reads_in_place() && at_.column + n <= walks_.columns) {
      void const* const p = place(0);
      advance(n);
      return p;
    }
    write(first, n, memory_);
    return memory_;
  }
  operands_in_place find(index_t first, index_t n) {
    if (call_.form == block_form::any) return {};
    for (unsigned k = 0; k != walks_.walk_count; ++k)
      if (walks_.walk[k].how != staging::in_place) return {};
    move_to(first);
    if (at_.column + n > walks_.columns) return {};
    operands_in_place const all{call_.form, place(0), place(walks_.walk_count - 1)};
    advance(n);
    return all;
  }
  /// Computes elements [first, first + n) of the shape to memory.
  void write(index_t first, index_t n, unsigned char* to) {
    move_to(first);
    while (n != 0) {
      take_block(n);
      runner_.run(at_, to);
      index_t const done = at_.rows * at_.columns;
      to += done * static_cast<index_t>(call_.result_bytes);
      n -= done;
      advance(done);
    }
  }
  tile_rows rows_of(column_tile const& tile, index_t row) {
    if (tile.pitch != 0) return rows_across(tile, row);
    if (tile.matrix != matrix_) walks_.move_to(at_, tile.matrix);
    matrix_ = tile.matrix;
    at_.row = row;
    at_.column = tile.column;
    if (reads_in_place()) return {place(0), walks_.walk[0].pitch, row, tile.rows};
    index_t const most = max_read / tile.columns / tile_row_group * tile_row_group;
    index_t const rows = smaller(most, tile.rows - row);
    index_t const together =
        walks_.staged_bytes == 0 ? rows : larger(walks_.staged_length / tile.columns, 1);
    index_t const row_bytes = tile.columns * static_cast<index_t>(call_.result_bytes);
    at_.columns = tile.columns;
    for (index_t r = 0; r < rows; r += together) {
      at_.row = row + r;
      at_.rows = smaller(together, rows - r);
      runner_.run(at_, memory_ + r * row_bytes);
    }
    return {memory_, row_bytes, row, row + rows};
  }

 private:
  /// The rows of a tile across matrices lie `pitch` elements apart in the order of reading.
  tile_rows rows_across(column_tile const& tile, index_t row) {
    index_t const rows = smaller(tile_row_group, tile.rows - row);
    index_t const row_bytes = tile.columns * static_cast<index_t>(call_.result_bytes);
    for (index_t r = 0; r != rows; ++r)
      write((row + r) * tile.pitch + tile.column, tile.columns, memory_ + r * row_bytes);
    return {memory_, row_bytes, row, row + rows};
  }
  bool reads_in_place() const {
    return call_.is_operand() && walks_.walk[0].how == staging::in_place;
  }
  /// Of operand k.
  void const* place(unsigned k) const {
    operand_walk const& w = walks_.walk[k];
    return w.data + walks_.start_of(w, at_);
  }

  void move_to(index_t number) {
    if (number == next_) return;
    next_ = number;
    index_t const row = number / walks_.columns;
    walks_.move_to(at_, row / walks_.rows);
    at_.row = row % walks_.rows;
    at_.column = number % walks_.columns;
  }
  /// Sets the extents of the next block, of n elements at most: part of a row, or whole rows.
  void take_block(index_t n) {
    index_t const columns = walks_.columns;
    index_t const most = walks_.staged_bytes == 0 ? n : smaller(n, walks_.staged_length);
    at_.rows = 1;
    at_.columns = smaller(columns - at_.column, most);
    if (at_.columns == columns && n > columns)
      at_.rows = larger(smaller(walks_.rows - at_.row, most / columns), 1);
  }
  void advance(index_t n) {
    next_ += n;
    at_.column += n;
    if (at_.column < walks_.columns) return;
    at_.row += at_.column / walks_.columns;
    at_.column = 0;  // blocks end within a row, or with one
    if (at_.row < walks_.rows) return;
    at_.row = 0;
    walks_.next_matrix(at_);
  }
  static index_t smaller(index_t a, index_t b) { return a < b ? a : b; }
  static index_t larger(index_t a, index_t b) { return a > b ? a : b; }

  block_call const& call_;
  operand_walks const& walks_;
  result_block at_;
  index_t next_ = 0;    ///< the number of the element at at_
  index_t matrix_ = 0;  ///< of the last tile
  block_runner runner_;
  alignas(64) unsigned char memory_[static_cast<std::size_t>(max_read) * max_element_bytes];
};

PLACEMENT_INLINE void const* read_elements(block_reader& from, index_t first, index_t n) {
  return from.read(first, n);
}
PLACEMENT_INLINE operands_in_place find_in_place(block_reader& from, index_t first, index_t n) {
  return from.find(first, n);
}
/// The first element of an operand that lies in row-major order without gaps, else null.
inline void const* dense_start(block_operand const& o, any_shape const& shape) {
  if (o.bytes == 0 || o.is_single) return nullptr;
  if (o.level == nullptr) return o.data;
  if (o.level->outer != nullptr) return nullptr;
  index_t step = 1;
  for (std::size_t d = shape.rank; d-- > 0; step *= shape.extent[d])
    if (shape.extent[d] != 1 && o.level->stride[d] != step) return nullptr;
  return static_cast<unsigned char const*>(o.data) + o.level->base * static_cast<index_t>(o.bytes);
}
PLACEMENT_INLINE operands_in_place find_in_place(block_call const& call, any_shape const& shape) {
  if (call.form == block_form::any) return {};
  operands_in_place const all{call.form, dense_start(call.operand[0], shape),
                              dense_start(call.operand[call.operands - 1], shape)};
  return all.left == nullptr || all.right == nullptr ? operands_in_place{} : all;
}
PLACEMENT_INLINE tile_rows read_rows(block_reader& from, column_tile const& tile, index_t row) {
  return from.rows_of(tile, row);
}

PLACEMENT_INLINE void run_with_readers(block_call const& call, any_shape const& shape,
                                       std::size_t axis, work_size const& size, par on,
                                       reading_function each, void const* work) {
  operand_walks const walks(call, shape, {axis, shape.rank == 0 ? 0 : shape.rank - 1});
  on.parallel_for(size, [&](work_chunk const& chunk) {
    block_reader reader(call, walks);
    each(work, reader, chunk);
  });
}

/// Are the operands' elements adjacent across the fibers along dimension `axis`? Requires: a rank
/// of at least 2.
PLACEMENT_INLINE bool prefers_tiles(block_call const& call, any_shape const& shape,
                                    std::size_t axis) {
  std::size_t const last = shape.rank - 1, across = axis == last ? last - 1 : last;
  if (shape.extent[across] == 1) return false;
  int along_axis = 0, along_columns = 0;
  for (unsigned k = 0; k != call.operands; ++k) {
    layout_level const* const level = call.operand[k].level;
    if (level == nullptr || level->outer != nullptr) continue;
    if (level->stride[axis] == 1) ++along_axis;
    if (level->stride[across] == 1) ++along_columns;
  }
  return axis == last ? along_columns > along_axis : along_columns >= along_axis;
}

PLACEMENT_INLINE fiber_order fiber_order_of(block_call const& call, any_shape const& shape,
                                            std::size_t axis, axis_extents const& by,
                                            bool has_short_rows) {
  constexpr index_t short_depth = 32, few = 64, matrix_elements = 2048;
  if (shape.rank < 2 || by.depth == 1) return fiber_order::one_by_one;
  bool const is_short = by.depth < short_depth && by.outer * by.inner >= few;
  if (!prefers_tiles(call, shape, axis))
    return is_short && !has_short_rows ? fiber_order::tiles_across : fiber_order::one_by_one;
  bool const is_last = axis + 1 == shape.rank;
  index_t const across = is_last ? shape.extent[axis - 1] : by.inner;
  if (across >= max_tile_columns || (across >= few && (by.outer == 1 || !is_short)))
    return fiber_order::tiles;
  if (!is_last && (by.outer * by.inner < few || by.depth * by.inner >= matrix_elements))
    return fiber_order::adjacent;
  return by.depth * few > matrix_elements && is_last ? fiber_order::tiles
                                                     : fiber_order::tiles_across;
}

/// A tile across matrices has fewer columns where the reduced axis is long, to stay in a cache.
PLACEMENT_INLINE void run_across_matrices(block_call const& call, any_shape const& shape,
                                          tile_axis along, std::size_t cost, par on,
                                          tile_function each, void const* work) {
  constexpr index_t least_columns = 32, cached_elements = 8192;
  index_t depth = 1;
  for (std::size_t i = 0; i != along.dimensions; ++i) depth *= shape.extent[along.axis - i];
  index_t const results = static_cast<index_t>(shape.count()) / depth;
  index_t const cached = cached_elements / depth / least_columns * least_columns;
  index_t const width = cached > max_tile_columns ? max_tile_columns
                        : cached < least_columns  ? least_columns
                                                  : cached;
  operand_walks const walks(call, shape, {along.axis, 0, false, along.dimensions});
  on.parallel_for({(results + width - 1) / width, 1, cost, 0}, [&](work_chunk const& chunk) {
    block_reader reader(call, walks);
    for (index_t i = chunk.begin; i != chunk.end; ++i) {
      index_t const column = i * width, left = results - column;
      each(work, reader, {0, 1, column, left < width ? left : width, depth, column, results});
    }
  });
}

PLACEMENT_INLINE void run_on_tiles(block_call const& call, any_shape const& shape, tile_axis along,
                                   std::size_t cost, par on, tile_function each, void const* work) {
  if (along.matrices == 0) return run_across_matrices(call, shape, along, cost, on, each, work);
  std::size_t const axis = along.axis;
  operand_walks const walks(call, shape,
                            {axis, axis + 1 == shape.rank ? shape.rank - 2 : axis, true});
  index_t const width = walks.staged_bytes == 0 || walks.staged_length > max_tile_columns
                            ? max_tile_columns
                            : walks.staged_length;
  index_t const tiles = (walks.columns + width - 1) / width;
  on.parallel_for(
      {walks.matrices / along.matrices * tiles, 1, cost, 0}, [&](work_chunk const& chunk) {
        block_reader reader(call, walks);
        for (index_t i = chunk.begin; i != chunk.end; ++i) {
          index_t const number = i / tiles, column = i % tiles * width,
                        left = walks.columns - column;
          each(work, reader,
               {number * along.matrices, along.matrices, column, left < width ? left : width,
                walks.rows, number * walks.columns + column});
        }
      });
}

PLACEMENT_INLINE void run_epilogue(block_epilogue const& epilogue, finished_tile const& p) {
  block_call const& call = epilogue.call;
  if (epilogue.is_contiguous) {
    for_each_run_of(
        p, [&](index_t first, index_t n) { run_contiguous_chunk(call, {first, first + n}); });
  } else if (static_cast<std::size_t>(p.count * p.n) == epilogue.shape.count()) {
    run_dense_blocks(call, epilogue.shape, {.is_parallel = false});
  } else {
    operand_walks const walks(call, epilogue.shape);
    block_reader reader(call, walks);
    for_each_run_of(p, [&](index_t first, index_t n) {
      reader.write(first, n, static_cast<unsigned char*>(call.out) + first * call.result_bytes);
    });
  }
}

}}}  // namespace placement::v0_1::detail
