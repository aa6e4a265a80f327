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
    if (call_.operands > max_operands || !is_dense(where)) return false;
    for (unsigned k = 0; k != call_.operands; ++k)
      if (!prepare(k, call_.operand[k])) return false;
    call_.compute(static_cast<unsigned char*>(call_.out) + where.base * call_.result_bytes, in_,
                  static_cast<index_t>(elements_));
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
    std::size_t const last = shape_.rank - 1;
    index_t const columns = shape_.extent[last], step = o.level->stride[last];
    with_word(o.bytes, [&]<class W>(W) {
      constexpr index_t word = sizeof(W);
      unsigned char* const end = to + static_cast<index_t>(elements_) * word;
      index_t c[max_rank]{};
      unsigned char const* row = from + o.level->base * word;
      while (to != end) {
        for (index_t j = 0; j != columns; ++j, to += word)
          store_word(to, load_word<W>(row + j * step * word));
        for (std::size_t d = last; d-- > 0;) {
          row += o.level->stride[d] * word;
          if (++c[d] != shape_.extent[d]) break;
          row -= o.level->stride[d] * shape_.extent[d] * word;
          c[d] = 0;
        }
      }
    });
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
  bool const has_rows = step >= -1 && step <= 1 && is_row_major(where, shape);
  if (elements * call.result_bytes <= most_bytes && has_rows) {
    copy_whole_box(to, from, box);
    return true;
  }
  box.widen();
  if (!box.has_small_matrices()) return false;
  index_t boxes = 1;
  for (std::size_t d = 0; d + 3 < box.rank; ++d) boxes *= box.extent[d];
  on.parallel_for({boxes, 1, elements * 4}, [&](work_chunk const& chunk) {
    copy_inner_boxes(to, from, box, chunk.begin, chunk.end);
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
    if (columns_.extent * bytes < short_row_bytes && elements > most_in_short_rows) return false;
    auto const [to, of_x, of_y] = columns_.stride;
    if (to != 1 || of_x < 0 || of_x > 1 || of_y < 0 || of_y > 1 || of_x + of_y == 0) return false;
    call_.run_rows({static_cast<unsigned char*>(call_.out) + where.base * bytes,
                    rows_.stride.to * bytes, first_of(x), rows_.stride.x * bytes, of_x == 0,
                    first_of(y), rows_.stride.y * bytes, of_y == 0, rows_.extent, columns_.extent});
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
