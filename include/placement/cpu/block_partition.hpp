#pragma once
/// How a result of any layout is cut into blocks.

#include <placement/cpu/operand_walk.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The blocks of a result with elements.
class block_partition : public operand_walks {
 public:
  block_partition(block_call const& call, layout_level const& where, any_shape const& shape)
      : operand_walks(call, where, shape) {
    choose_block();
  }

  index_t count() const { return matrices * row_blocks * column_blocks; }
  /// Block `number`. Cost: a division per dimension, except for the first.
  result_block at(index_t number) const {
    result_block b;
    if (number != 0) {
      index_t const of_matrix = row_blocks * column_blocks, left = number % of_matrix;
      move_to(b, number / of_matrix);
      b.column = left % column_blocks * block_columns;
      b.row = left / column_blocks * block_rows;
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
        next_matrix(b);
      }
    }
    measure(b);
  }

  index_t block_rows = 1, block_columns = 1;
  index_t row_blocks = 1, column_blocks = 1;  ///< of a matrix

 private:
  static constexpr index_t transposed_rows = 16, copied_length = 8192, loop_length = 8192;

  void choose_block() {
    if (runs_rows) {
      block_columns = smaller(columns, loop_length);
      block_rows = most_rows(loop_length);
      return count_blocks();
    }
    choose_length(transposes ? max_local_bytes : copies_to_result ? copied_length : block_length);
    if (joins_rows) {
      block_columns = columns;
      block_rows = most_rows(staged_length);
    } else if (transposes) {
      block_rows = smaller(rows, transposed_rows);
      block_columns = smaller(columns, staged_length / block_rows);
    } else {
      bool const is_cut = staged_bytes != 0 || copies_to_result;
      block_columns = is_cut ? smaller(columns, staged_length) : columns;
      block_rows = block_columns == columns ? most_rows(block_length) : 1;
    }
    count_blocks();
  }
  void count_blocks() {
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
};

}}}  // namespace placement::v0_1::detail
