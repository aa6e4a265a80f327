#pragma once
/// How the operands of a block kernel are walked: the collapsed dimensions, and for each operand
/// whether its elements are read in place or copied.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/local_array.hpp>
#include <placement/cpu/staging.hpp>
#include <placement/shape/layout.hpp>

#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// The walks of a block kernel's operands, and of its result if that has a layout. The last two
/// collapsed dimensions are rows and columns; those before them number the matrices.
class operand_walks {
 public:
  /// Of a result that is written to the positions of `where`.
  operand_walks(block_call const& call, layout_level const& where, any_shape const& shape)
      : operands(call.operands), walk_count(call.operands + 1), walk(walk_count) {
    for (unsigned k = 0; k != operands; ++k) add(walk[k], call.operand[k]);
    add(walk[operands], {call.out, &where, call.result_bytes, false});
    collapse(shape, max_rank);
    if (call.run_rows != nullptr) {
      writes_elements = is_strided();
      runs_rows = writes_elements || has_loop_rows();
      if (runs_rows) return;
    }
    choose_copies();
    copies_to_result = call.is_operand() && walk[0].how != staging::in_place &&
                       walk[operands].how == staging::in_place;
    writes_elements = call.is_operand() && walk[operands].how == staging::gathered &&
                      walk[0].how != staging::reshaped;
    if (copies_to_result || writes_elements) staged_bytes = 0;
  }
  /// Of a result whose elements are written contiguously, block by block, in the given order.
  operand_walks(block_call const& call, any_shape const& shape, walk_order const& order = {})
      : operands(call.operands), walk_count(call.operands), walk(walk_count) {
    for (unsigned k = 0; k != operands; ++k) add(walk[k], call.operand[k]);
    if (order.axis == order.position) {
      collapse(shape, order.makes_rows ? order.position : max_rank);
    } else {
      index_t extents[max_rank];
      for (std::size_t d = 0; d != shape.rank; ++d) extents[d] = shape.extent[d];
      for (std::size_t i = 0; i != order.count; ++i) {
        move_dimension(extents, order.axis, order.position);
        for (unsigned k = 0; k != walk_count; ++k)
          move_dimension(walk[k].stride, order.axis, order.position);
      }
      collapse({shape.rank, extents}, order.makes_rows ? order.position : max_rank);
    }
    longest_joined_row_ = order.makes_rows ? max_tile_columns : longest_joined_row;
    choose_copies();
    choose_length(block_length);
  }

  /// The first element of a block in a walk.
  index_t start_of(operand_walk const& w, result_block const& b) const {
    index_t at = w.base + b.row * w.pitch + b.column * w.step;
    for (std::size_t d = 0; d + 2 < rank; ++d) at += b.matrix[d] * w.stride[d];
    return at;
  }
  bool has_result() const { return walk_count != operands; }
  /// Has the walk memory of its own for copies?
  bool is_copied(unsigned k) const {
    return walk[k].how != staging::in_place && walk[k].same_as == k;
  }

  /// Moves to the first element of matrix `number`. Cost: a division per dimension, except for the
  /// first matrix.
  void move_to(result_block& b, index_t number) const {
    b = {};
    for (std::size_t d = rank < 2 ? 0 : rank - 2; number != 0 && d-- > 0;) {
      b.matrix[d] = number % extent[d];
      number /= extent[d];
    }
  }
  /// Moves to the same elements of the next matrix.
  void next_matrix(result_block& b) const {
    for (std::size_t d = rank < 2 ? 0 : rank - 2; d-- > 0;) {
      if (++b.matrix[d] != extent[d]) break;
      b.matrix[d] = 0;
    }
  }

  unsigned operands, walk_count;
  local_array<operand_walk> walk;  ///< of the operands, then of the result
  index_t extent[max_rank]{};
  std::size_t rank = 0;  ///< after collapsing
  index_t matrices = 1, rows = 1, columns = 1;
  index_t staged_bytes = 0;       ///< of one element of every staged operand
  index_t staged_length = 1;      ///< elements of a staged operand in a block
  bool joins_rows = false;        ///< the rows of a block are one long row
  bool transposes = false;        ///< an operand's rows are copied from columns
  bool copies_to_result = false;  ///< the expression is an operand, whose copies are the result
  bool writes_elements = false;   ///< of a strided result, each directly: of an operand alone, or
                                  ///< by the loop over rows
  bool runs_rows = false;         ///< by the loop over rows, without copies
  bool repeats = false;           ///< one element is copied for all columns of a row

  /// Of a block, on the stack: half a first-level cache. More operands take memory of the heap.
  static constexpr index_t max_local_bytes = 16384;

  /// Sets the most elements of a staged operand in a block, at most `most`, a multiple of 8. One
  /// element that is repeated in long rows is copied to short blocks, which all blocks of the row
  /// share.
  void choose_length(index_t most) {
    staged_length =
        repeats && !joins_rows && !copies_to_result ? smaller(most, repeated_length) : most;
    if (staged_bytes * staged_length > max_local_bytes)
      staged_length = larger(max_local_bytes / staged_bytes / 8 * 8, longest_short_row);
    joins_rows = joins_rows && columns <= staged_length;
  }

 protected:
  static constexpr index_t longest_short_row = 32;    ///< the least staged_length
  static constexpr index_t longest_joined_row = 512;  ///< at least two fit into a block
  static constexpr index_t repeated_length = 256, short_row_bytes = 48;
  /// This number of rows takes less time one by one than a copy of the row that all of them share.
  static constexpr index_t most_single_rows = 4;

  static index_t smaller(index_t a, index_t b) { return a < b ? a : b; }
  static index_t larger(index_t a, index_t b) { return a > b ? a : b; }

 private:
  static void add(operand_walk& w, block_operand const& o) {
    w.is_generator = o.bytes == 0;
    w.bytes = w.is_generator ? sizeof(index_t) : o.bytes;
    w.is_single = o.is_single;
    w.data = static_cast<unsigned char*>(const_cast<void*>(o.data));
    if (o.level == nullptr) {  // contiguous, of a shape of rank 1
      if (!o.is_single) w.stride[0] = w.is_generator ? 1 : static_cast<index_t>(o.bytes);
      return;
    }
    layout_level const* outermost = o.level;
    while (outermost->outer != nullptr) outermost = outermost->outer;
    if (outermost != o.level) w.level = o.level;
    index_t const unit = w.is_generator || w.level != nullptr ? 1 : static_cast<index_t>(o.bytes);
    w.base = outermost->base * unit;
    for (std::size_t d = 0; d != outermost->rank; ++d) w.stride[d] = outermost->stride[d] * unit;
  }

  /// Drops extents of 1, and joins neighbours that every walk steps through as through one. The
  /// axis stays a dimension of its own.
  void collapse(any_shape const& shape, std::size_t axis) {
    std::size_t kept_axis = max_rank;
    for (std::size_t d = 0; d != shape.rank; ++d) {
      index_t const n = shape.extent[d];
      if (n == 1 && d != axis) continue;
      bool joins = rank != 0 && d != axis && rank != kept_axis + 1;
      for (unsigned k = 0; joins && k != walk_count; ++k)
        joins = walk[k].stride[rank - 1] == walk[k].stride[d] * n;
      if (!joins) extent[rank++] = 1;
      if (d == axis) kept_axis = rank - 1;
      extent[rank - 1] *= n;
      for (unsigned k = 0; k != walk_count; ++k) walk[k].stride[rank - 1] = walk[k].stride[d];
    }
    if (kept_axis != max_rank) {
      move_dimension(extent, kept_axis, rank - 2);
      for (unsigned k = 0; k != walk_count; ++k)
        move_dimension(walk[k].stride, kept_axis, rank - 2);
    }
    if (rank > 0) columns = extent[rank - 1];
    if (rank > 1) rows = extent[rank - 2];
    for (std::size_t d = 0; d + 2 < rank; ++d) matrices *= extent[d];
    for (unsigned k = 0; k != walk_count; ++k) {
      walk[k].step = rank > 0 ? walk[k].stride[rank - 1] : 0;
      walk[k].pitch = rank > 1 ? walk[k].stride[rank - 2] : 0;
    }
  }
  /// Moves element `from` of a list to position `to`.
  static void move_dimension(index_t* list, std::size_t from, std::size_t to) {
    for (; from < to; ++from) std::swap(list[from], list[from + 1]);
    for (; from > to; --from) std::swap(list[from], list[from - 1]);
  }
  index_t longest_joined_row_ = longest_joined_row;  ///< tiles hold whole rows that are joined

  /// Whether the rows are computed by the loop over rows. Dense short rows beside one that all of
  /// them share are joined instead.
  bool has_loop_rows() const {
    bool fits = walk[0].step != 0 || walk[1].step != 0;
    bool joins = columns * static_cast<index_t>(walk[operands].bytes) < short_row_bytes;
    for (unsigned k = 0; k != walk_count; ++k) {
      operand_walk const& w = walk[k];
      bool const is_row = w.step == static_cast<index_t>(w.bytes);
      fits = fits && w.level == nullptr && (is_row || (w.step == 0 && k != operands));
      joins = joins && is_row && (w.pitch == 0 || is_dense(w));
    }
    return fits && !joins;
  }
  /// Do the rows of the result have gaps between elements? The loop over rows then reads all
  /// operands at constant steps, too, unless tiles do that better.
  bool is_strided() const {
    if (walk[operands].step == static_cast<index_t>(walk[operands].bytes) || columns == 1)
      return false;
    for (unsigned k = 0; k != operands; ++k)
      if (walk[k].level != nullptr || staging_of(walk[k], true) == staging::transposed)
        return false;
    return true;
  }
  void choose_copies() {
    for (unsigned k = 0; k != walk_count; ++k) walk[k].how = staging_of(walk[k], k != operands);
    join_short_rows();
    number_generators();
    for (unsigned k = 0; k != walk_count; ++k) {
      walk[k].same_as = first_like(k);
      if (is_copied(k)) staged_bytes += static_cast<index_t>(walk[k].bytes);
      transposes = transposes || walk[k].how == staging::transposed;
      repeats = repeats || walk[k].how == staging::repeated;
    }
  }
  /// The first operand that is copied as operand k is, with the same elements.
  unsigned first_like(unsigned k) const {
    operand_walk const& w = walk[k];
    if (w.how == staging::in_place || w.level != nullptr || k == operands) return k;
    for (unsigned i = 0; i != k; ++i) {
      operand_walk const& o = walk[i];
      bool same = o.how == w.how && o.data == w.data && o.base == w.base && o.bytes == w.bytes &&
                  o.level == nullptr && o.is_generator == w.is_generator;
      for (std::size_t d = 0; same && d != rank; ++d) same = o.stride[d] == w.stride[d];
      if (same) return i;
    }
    return k;
  }
  staging staging_of(operand_walk const& w, bool is_operand) const {
    if (w.is_generator) {
      bool const consecutive = w.level == nullptr && (w.step == 1 || columns == 1);
      return consecutive ? staging::in_place : staging::numbered;
    }
    index_t const bytes = w.bytes;
    if (w.level != nullptr) return staging::reshaped;
    if (w.step == bytes || columns == 1 || w.is_single) return staging::in_place;
    if (w.step == 0) return staging::repeated;
    bool const may_transpose = is_operand && has_result() && rows >= 8 && columns >= 16;
    return may_transpose && w.pitch == bytes ? staging::transposed : staging::gathered;
  }

  /// Do the rows of a walk follow each other without a gap?
  bool is_dense(operand_walk const& w) const {
    index_t const unit = w.is_generator ? 1 : static_cast<index_t>(w.bytes);
    return w.is_single || (w.step == unit && w.pitch == unit * columns && w.level == nullptr);
  }
  /// Computes short rows several at once. Operands that are not dense then are copied: a row that
  /// all rows share once, others for each block.
  void join_short_rows() {
    joins_rows = rows > 1 && columns <= longest_joined_row_;
    bool const are_single = has_result() && matrices == 1 && rows <= most_single_rows;
    for (unsigned k = 0; joins_rows && k != walk_count; ++k) {
      operand_walk const& w = walk[k];
      bool const copied_anyway =
          w.how != staging::in_place || (w.pitch == 0 && k != operands && !are_single);
      joins_rows = w.how != staging::transposed &&
                   (columns <= longest_short_row || copied_anyway || is_dense(w));
    }
    if (!joins_rows) return;
    for (unsigned k = 0; k != walk_count; ++k) {
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
};

}}}  // namespace placement::v0_1::detail
