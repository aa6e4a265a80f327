#pragma once
/// How a result of any layout is cut into blocks, and how each operand of a block is read.

#include <placement/cpu/local_array.hpp>
#include <placement/cpu/map_blocks.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// How the elements of an operand become contiguous in a block.
enum class staging : unsigned char {
  in_place,    ///< they are; or an index generator has consecutive numbers
  repeated,    ///< one element for all columns
  gathered,    ///< the elements lie a step apart
  transposed,  ///< neighbours down a column are contiguous
  reshaped,    ///< the layout counts elements of another shape
  numbered,    ///< an index generator, whose numbers are written to memory
};

/// An operand, or the result, over the collapsed dimensions. Units of base and strides: bytes; of
/// an index generator and of a reshaped operand element numbers.
struct operand_walk {
  unsigned char* data = nullptr;
  index_t base = 0;
  index_t stride[max_rank]{};
  index_t step = 0, pitch = 0;  ///< from column to column, from row to row
  unsigned bytes = 0;           ///< of an element; of a number of an index generator
  bool is_generator = false;
  bool is_single = false;
  staging how = staging::in_place;
  layout_level const* level = nullptr;  ///< of a reshaped operand, the innermost
};

/// The element number in the innermost layout of what has `number` in the outermost.
inline index_t position_of(layout_level const& level, index_t number) {
  if (level.outer == nullptr) return number;
  index_t left = position_of(*level.outer, number), position = level.base;
  for (std::size_t d = level.rank; d-- > 0;) {
    position += left % level.extent[d] * level.stride[d];
    left /= level.extent[d];
  }
  return position;
}

/// Some columns of some rows of a result.
struct result_block {
  index_t matrix[max_rank]{};  ///< coordinates before rows and columns
  index_t row = 0, rows = 0, column = 0, columns = 0;
};

/// The blocks of a result with elements. The last two collapsed dimensions are rows and columns;
/// those before them number the matrices.
class block_partition {
 public:
  block_partition(block_call const& call, layout_level const& where, any_shape const& shape)
      : operands(call.operands), walk(call.operands + 1) {
    for (unsigned k = 0; k != operands; ++k) add(walk[k], call.operand[k]);
    add(result(), {call.out, &where, call.result_bytes});
    collapse(shape);
    for (unsigned k = 0; k <= operands; ++k) choose_staging(walk[k]);
    join_short_rows();
    number_generators();
    choose_block();
  }

  index_t count() const { return matrices * row_blocks * column_blocks; }
  /// Block `number`. Cost: a division per dimension, except for the first.
  result_block at(index_t number) const {
    result_block b;
    if (number != 0) {
      b.column = number % column_blocks * block_columns;
      number /= column_blocks;
      b.row = number % row_blocks * block_rows;
      number /= row_blocks;
      for (std::size_t d = rank < 2 ? 0 : rank - 2; d-- > 0;) {
        b.matrix[d] = number % extent[d];
        number /= extent[d];
      }
    }
    measure(b);
    return b;
  }
  /// Moves to the next block.
  void next(result_block& b) const {
    b.column += block_columns;
    if (b.column >= columns) {
      b.column = 0;
      b.row += block_rows;
      if (b.row >= rows) {
        b.row = 0;
        for (std::size_t d = rank < 2 ? 0 : rank - 2; d-- > 0;) {
          if (++b.matrix[d] != extent[d]) break;
          b.matrix[d] = 0;
        }
      }
    }
    measure(b);
  }
  /// The first element of a block in a walk.
  index_t start_of(operand_walk const& w, result_block const& b) const {
    index_t at = w.base + b.row * w.pitch + b.column * w.step;
    for (std::size_t d = 0; d + 2 < rank; ++d) at += b.matrix[d] * w.stride[d];
    return at;
  }

  operand_walk& result() { return walk[operands]; }
  operand_walk const& result() const { return walk[operands]; }

  unsigned operands;
  local_array<operand_walk> walk;  ///< of the operands, then of the result
  index_t extent[max_rank]{};
  std::size_t rank = 0;  ///< after collapsing
  index_t matrices = 1, rows = 1, columns = 1;
  index_t block_rows = 1, block_columns = 1;
  index_t row_blocks = 1, column_blocks = 1;  ///< of a matrix
  index_t staged_length = 1;                  ///< elements of a staged operand in a block
  index_t staged_bytes = 0;                   ///< of one element of every staged operand
  bool joins_rows = false;                    ///< the rows of a block are one long row

  /// Of a block, on the stack: half a first-level cache. More operands take memory of the heap.
  static constexpr index_t max_local_bytes = 16384;

 private:
  static constexpr index_t transposed_rows = 16;
  static constexpr index_t longest_short_row = 32;    ///< the least staged_length
  static constexpr index_t longest_joined_row = 512;  ///< at least two fit into a block

  static void add(operand_walk& w, block_operand const& o) {
    w.is_generator = o.bytes == 0;
    w.bytes = w.is_generator ? sizeof(index_t) : o.bytes;
    w.is_single = o.is_single;
    w.data = static_cast<unsigned char*>(const_cast<void*>(o.data));
    if (o.level == nullptr) return;
    layout_level const* outermost = o.level;
    while (outermost->outer != nullptr) outermost = outermost->outer;
    if (outermost != o.level) w.level = o.level;
    index_t const unit = w.is_generator || w.level != nullptr ? 1 : static_cast<index_t>(o.bytes);
    w.base = outermost->base * unit;
    for (std::size_t d = 0; d != outermost->rank; ++d) w.stride[d] = outermost->stride[d] * unit;
  }

  /// Drops extents of 1, and joins neighbours that every walk steps through as through one.
  void collapse(any_shape const& shape) {
    for (std::size_t d = 0; d != shape.rank; ++d) {
      index_t const n = shape.extent[d];
      if (n == 1) continue;
      bool joins = rank != 0;
      for (unsigned k = 0; joins && k <= operands; ++k)
        joins = walk[k].stride[rank - 1] == walk[k].stride[d] * n;
      if (!joins) extent[rank++] = 1;
      extent[rank - 1] *= n;
      for (unsigned k = 0; k <= operands; ++k) walk[k].stride[rank - 1] = walk[k].stride[d];
    }
    if (rank > 0) columns = extent[rank - 1];
    if (rank > 1) rows = extent[rank - 2];
    for (std::size_t d = 0; d + 2 < rank; ++d) matrices *= extent[d];
    for (unsigned k = 0; k <= operands; ++k) {
      walk[k].step = rank > 0 ? walk[k].stride[rank - 1] : 0;
      walk[k].pitch = rank > 1 ? walk[k].stride[rank - 2] : 0;
    }
  }

  void choose_staging(operand_walk& w) const {
    if (w.is_generator) {
      bool const consecutive = w.level == nullptr && (w.step == 1 || columns == 1);
      w.how = consecutive ? staging::in_place : staging::numbered;
      return;
    }
    index_t const bytes = w.bytes;
    if (w.level != nullptr) w.how = staging::reshaped;
    else if (w.step == bytes || columns == 1 || w.is_single) w.how = staging::in_place;
    else if (w.step == 0) w.how = staging::repeated;
    else if (w.pitch == bytes && rows >= 8 && columns >= 16 && &w != &result())
      w.how = staging::transposed;
    else w.how = staging::gathered;
  }

  /// Do the rows of a walk follow each other without a gap?
  bool is_dense(operand_walk const& w) const {
    index_t const unit = w.is_generator ? 1 : static_cast<index_t>(w.bytes);
    return w.is_single || (w.step == unit && w.pitch == unit * columns && w.level == nullptr);
  }
  /// Computes short rows several at once. Operands that are not dense then are copied: a row that
  /// all rows share once, others for each block.
  void join_short_rows() {
    joins_rows = rows > 1 && columns <= longest_joined_row;
    for (unsigned k = 0; joins_rows && k <= operands; ++k) {
      operand_walk const& w = walk[k];
      bool const copied_anyway = w.how != staging::in_place || (w.pitch == 0 && k != operands);
      joins_rows = w.how != staging::transposed &&
                   (columns <= longest_short_row || copied_anyway || is_dense(w));
    }
    if (!joins_rows) return;
    for (unsigned k = 0; k <= operands; ++k) {
      operand_walk& w = walk[k];
      if (w.how == staging::in_place && !is_dense(w))
        w.how = w.is_generator ? staging::numbered : staging::gathered;
    }
  }
  /// Kernels read the numbers of all index generators from memory, or those of none.
  void number_generators() {
    bool numbered = false;
    for (unsigned k = 0; k != operands; ++k)
      numbered = numbered || walk[k].how == staging::numbered;
    for (unsigned k = 0; numbered && k != operands; ++k)
      if (walk[k].is_generator) walk[k].how = staging::numbered;
  }
  void choose_block() {
    bool transposes = false;
    for (unsigned k = 0; k <= operands; ++k) {
      if (walk[k].how != staging::in_place) staged_bytes += static_cast<index_t>(walk[k].bytes);
      transposes = transposes || walk[k].how == staging::transposed;
    }
    staged_length = transposes ? max_local_bytes : block_length;
    if (staged_bytes * staged_length > max_local_bytes)
      staged_length = larger(max_local_bytes / staged_bytes, longest_short_row);
    joins_rows = joins_rows && columns <= staged_length;
    if (joins_rows) {
      block_columns = columns;
      block_rows = most_rows(staged_length);
    } else if (transposes) {
      block_rows = smaller(rows, transposed_rows);
      block_columns = smaller(columns, staged_length / block_rows);
    } else {
      block_columns = staged_bytes == 0 ? columns : smaller(columns, staged_length);
      block_rows = block_columns == columns ? most_rows(block_length) : 1;
    }
    row_blocks = blocks_of(rows, block_rows);
    column_blocks = blocks_of(columns, block_columns);
  }
  /// Whole rows of at most `elements` elements, at least one. Divides only where there are more.
  index_t most_rows(index_t elements) const {
    if (columns >= elements) return 1;
    return rows <= elements && rows * columns <= elements ? rows : elements / columns;
  }
  void measure(result_block& b) const {
    b.columns = smaller(columns - b.column, block_columns);
    b.rows = smaller(rows - b.row, block_rows);
  }
  static index_t blocks_of(index_t n, index_t size) {
    return n <= size ? 1 : (n + size - 1) / size;
  }
  static index_t smaller(index_t a, index_t b) { return a < b ? a : b; }
  static index_t larger(index_t a, index_t b) { return a > b ? a : b; }
};

}}}  // namespace placement::v0_1::detail
