#pragma once
/// Small results of block kernels, which are computed without a partition: for them it takes longer
/// than the elements.

#include <placement/cpu/block_call.hpp>
#include <placement/cpu/box_copy.hpp>
#include <placement/cpu/parallel_for.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

/// Are the elements of a shape in row-major order in the layout?
inline bool is_row_major(layout_level const& l, any_shape const& shape) {
  index_t stride = 1;
  for (std::size_t d = shape.rank; d-- > 0;) {
    if (shape.extent[d] != 1 && l.stride[d] != stride) return false;
    stride *= shape.extent[d];
  }
  return true;
}

/// A result of at most max_elements elements, computed without a partition: each strided operand is
/// gathered once.
class small_result {
 public:
  static constexpr std::size_t max_elements = 64;

  small_result(block_call const& call, any_shape const& shape, std::size_t elements)
      : call_(call), shape_(shape), elements_(elements) {}

  /// False, and no effect, for a case that blocks are needed for.
  bool run(layout_level const& where) {
    bool const dense = is_dense(where);
    if (call_.operands > max_operands) return false;
    if (!dense && (call_.is_operand() || call_.run_rows != nullptr || call_.more_results != 0))
      return false;  // others write each element directly
    for (unsigned k = 0; k != call_.operands; ++k)
      if (!prepare(k, call_.operand[k])) return false;
    auto* const out = static_cast<unsigned char*>(call_.out) + where.base * call_.result_bytes;
    auto const n = static_cast<index_t>(elements_);
    if (dense) {
      call_.compute(out, in_, n);
    } else {
      alignas(64) unsigned char results[max_elements * max_element_bytes];
      call_.run(call_.expr, results, in_, n);
      with_word(call_.result_bytes, [&]<class W>(W) {
        auto const* from = results;
        for_each_row(out, where, sizeof(W), [&](unsigned char* row, index_t step, index_t columns) {
          for (index_t j = 0; j != columns; ++j, from += sizeof(W))
            store_word(row + j * step, load_word<W>(from));
        });
      });
    }
    return true;
  }

 private:
  static constexpr unsigned max_operands = 8;

  bool is_dense(layout_level const& l) const { return is_row_major(l, shape_); }
  bool prepare(unsigned k, block_operand const& o) {
    if (o.is_single) {
      in_[k] = {o.data, 0};
      return true;
    }
    if (o.level->outer != nullptr) return false;
    auto const* const data = static_cast<unsigned char const*>(o.data);
    index_t const base = o.level->base;
    if (is_dense(*o.level)) {
      in_[k] = {o.bytes == 0 ? nullptr : data + base * o.bytes, base};
      return true;
    }
    if (o.bytes == 0) return false;
    gather(memory_[k], data, o);
    in_[k] = {memory_[k], 0};
    return true;
  }
  /// Copies an operand row by row. The shape has a last dimension, as the operand is not dense.
  void gather(unsigned char* to, unsigned char const* from, block_operand const& o) const {
    with_word(o.bytes, [&]<class W>(W) {
      constexpr index_t word = sizeof(W);
      for_each_row(from + o.level->base * word, *o.level, word,
                   [&](unsigned char const* row, index_t step, index_t columns) {
                     for (index_t j = 0; j != columns; ++j, to += word)
                       store_word(to, load_word<W>(row + j * step));
                   });
    });
  }
  /// Calls f(row, step, columns) for each row of a layout. row: that of coordinates 0.
  template <class Byte, class F>
  PLACEMENT_ALWAYS_INLINE void for_each_row(Byte* row, layout_level const& l, index_t word,
                                            F const& f) const {
    std::size_t const last = shape_.rank - 1;
    index_t const columns = shape_.extent[last], step = l.stride[last] * word;
    index_t c[max_rank]{};
    for (auto left = static_cast<index_t>(elements_); left != 0; left -= columns) {
      f(row, step, columns);
      for (std::size_t d = last; d-- > 0;) {
        row += l.stride[d] * word;
        if (++c[d] != shape_.extent[d]) break;
        row -= l.stride[d] * shape_.extent[d] * word;
        c[d] = 0;
      }
    }
  }

  block_call const& call_;
  any_shape const& shape_;
  std::size_t elements_;
  block_input in_[max_operands];
  alignas(64) unsigned char memory_[max_operands][max_elements * max_element_bytes];
};

/// The box that a call copies, whose expression is an operand alone; of rank 0 for others.
inline element_box box_of(block_call const& call, layout_level const& where,
                          any_shape const& shape) {
  element_box box;
  block_operand const& o = call.operand[0];
  if (!call.is_operand() || o.bytes == 0 || o.is_single || o.level->outer != nullptr) return box;
  box.bytes = o.bytes;
  for (std::size_t d = 0; d != shape.rank; ++d)
    box.add(shape.extent[d], where.stride[d], o.level->stride[d]);
  return box;
}

/// Copies an operand whose rows are contiguous, in either direction, or repeat an element, or whose
/// matrices are small. False, and no effect, if the expression is no such operand, or is large.
inline bool copy_operand(block_call const& call, layout_level const& where, any_shape const& shape,
                         std::size_t elements, par on) {
  constexpr std::size_t most_bytes = 65536;  // threads and tiles would not help
  if (!call.is_operand()) return false;
  element_box box = box_of(call, where, shape);
  if (box.rank == 0) return false;
  block_operand const& o = call.operand[0];
  auto const bytes = static_cast<index_t>(o.bytes);
  auto* const to = static_cast<unsigned char*>(call.out) + where.base * bytes;
  auto const* const from = static_cast<unsigned char const*>(o.data) + o.level->base * bytes;
  index_t const step = box.from[box.rank - 1];
  bool const has_rows = step >= -1 && step <= 1;
  if (elements <= small_result::max_elements ||
      (elements * call.result_bytes <= most_bytes && has_rows)) {
    copy_whole_box(to, from, box);
    return true;
  }
  box.widen();
  if (!box.has_small_matrices()) return false;
  index_t matrices = 1;
  for (std::size_t d = 0; d + 2 < box.rank; ++d) matrices *= box.extent[d];
  on.parallel_for({matrices, 64, elements * 4}, [&](work_chunk const& chunk) {
    copy_matrices(to, from, box, chunk.begin, chunk.end);
  });
  return true;
}

/// The loop over the rows of a small result, of which each operand has contiguous elements or one
/// element. False, and no effect, for others.
class small_rows {
 public:
  small_rows(block_call const& call, any_shape const& shape) : call_(call), shape_(shape) {}

  bool run(layout_level const& where, std::size_t elements) {
    constexpr std::size_t most_bytes = 65536;  // threads would not help
    if (call_.run_rows == nullptr || elements * call_.result_bytes > most_bytes) return false;
    block_operand const& x = call_.operand[0];
    block_operand const& y = call_.operand[1];
    if (!has_layout(x) || !has_layout(y)) return false;
    for (std::size_t d = 0; d != shape_.rank; ++d)
      add(shape_.extent[d], {where.stride[d], stride_of(x, d), stride_of(y, d)});
    constexpr index_t short_row_bytes = 48;
    constexpr std::size_t most_in_short_rows = 512;  // of more elements blocks join the rows
    auto const bytes = static_cast<index_t>(call_.result_bytes);
    if (rank_ == 0 || rank_ > 2) return false;
    auto const [to, of_x, of_y] = columns_.stride;
    bool const is_strided = to != 1;
    if (is_strided) {  // elements of a column that are contiguous are copied by tiles
      bool const has_tiles = rows_.extent >= 8 && columns_.extent >= 16;
      auto const is_column = [](index_t pitch, index_t step) {
        return pitch == 1 && step != 0 && step != 1;
      };
      if (has_tiles && (is_column(rows_.stride.x, of_x) || is_column(rows_.stride.y, of_y)))
        return false;
    } else {
      if (columns_.extent * bytes < short_row_bytes && elements > most_in_short_rows) return false;
      if (of_x < 0 || of_x > 1 || of_y < 0 || of_y > 1 || of_x + of_y == 0) return false;
    }
    call_.run_rows({static_cast<unsigned char*>(call_.out) + where.base * bytes,
                    rows_.stride.to * bytes, first_of(x), rows_.stride.x * bytes, of_x == 0,
                    first_of(y), rows_.stride.y * bytes, of_y == 0, rows_.extent, columns_.extent,
                    is_strided ? to * bytes : 0, of_x * bytes, of_y * bytes});
    return true;
  }

 private:
  /// Elements from one position to the next.
  struct strides {
    index_t to, x, y;
  };
  struct dimension {
    index_t extent = 1;
    strides stride{};
  };

  static bool has_layout(block_operand const& o) {
    return o.is_single || (o.level != nullptr && o.level->outer == nullptr);
  }
  static index_t stride_of(block_operand const& o, std::size_t d) {
    return o.is_single ? 0 : o.level->stride[d];
  }
  static unsigned char const* first_of(block_operand const& o) {
    auto const* const data = static_cast<unsigned char const*>(o.data);
    return o.level == nullptr ? data : data + o.level->base * static_cast<index_t>(o.bytes);
  }
  /// Adds an inner dimension, which is joined with the last one if all step through them alike.
  void add(index_t n, strides const& s) {
    if (n == 1) return;
    strides const& last = columns_.stride;
    if (rank_ != 0 && last.to == n * s.to && last.x == n * s.x && last.y == n * s.y) {
      columns_ = {columns_.extent * n, s};
    } else {
      rows_ = columns_;
      columns_ = {n, s};
      ++rank_;
    }
  }

  block_call const& call_;
  any_shape const& shape_;
  dimension rows_, columns_;
  std::size_t rank_ = 0;
};

}}}  // namespace placement::v0_1::detail
