#pragma once
/// The elements of a reshape that is no layout, in runs: no division per element.

#include <placement/cpu/operand_walk.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Consecutive elements of a block, from `at` on, whose numbers lie `step` apart.
struct number_run {
  index_t at, number, step, count;
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

/// Walks the elements of a layout in row-major order. Dimensions that are stepped through as
/// through one are joined.
class row_major_walk {
 public:
  /// Begins at the element with this row-major number. Cost: a division per dimension.
  row_major_walk(layout_level const& level, index_t number) : position_(level.base) {
    for (std::size_t d = 0; d != level.rank; ++d) {
      index_t const n = level.extent[d], stride = level.stride[d];
      if (n == 1) continue;
      bool const joins = rank_ != 0 && stride_[rank_ - 1] == stride * n;
      if (!joins) extent_[rank_++] = 1;
      extent_[rank_ - 1] *= n;
      stride_[rank_ - 1] = stride;
    }
    if (rank_ == 0) extent_[rank_++] = 1;
    for (std::size_t d = rank_; d-- > 0; number /= extent_[d]) {
      coordinate_[d] = number % extent_[d];
      position_ += coordinate_[d] * stride_[d];
    }
  }

  index_t position() const { return position_; }
  index_t step() const { return stride_[rank_ - 1]; }
  /// How many elements are left in this row.
  index_t left() const { return extent_[rank_ - 1] - coordinate_[rank_ - 1]; }
  /// Requires: count is at most left().
  void advance(index_t count) {
    std::size_t d = rank_ - 1;
    coordinate_[d] += count;
    position_ += count * stride_[d];
    while (coordinate_[d] == extent_[d]) {
      position_ -= extent_[d] * stride_[d];
      coordinate_[d] = 0;
      if (d == 0) return;
      --d;
      ++coordinate_[d];
      position_ += stride_[d];
    }
  }

 private:
  index_t position_;
  std::size_t rank_ = 0;
  index_t extent_[max_rank]{}, stride_[max_rank]{}, coordinate_[max_rank]{};
};

/// The layout that gives the row-major numbers of `outer`: that of the reshape around it where
/// `outer` is a reshape alone, whose elements keep their order.
layout_level const* without_reshapes(layout_level const* outer);

/// Calls f(number_run) for rows x columns elements from a position on, in row-major order. Only a
/// reshape of a view of a reshape, or of elements that are not neighbours, divides for each
/// element.
template <class F>
inline void for_each_number_run(operand_walk const& w, index_t at, index_t rows, index_t columns,
                                F const& f) {
  bool const by_rows =
      w.level != nullptr && w.step == 1 && without_reshapes(w.level->outer)->outer == nullptr;
  if (by_rows && (w.pitch == columns || rows == 1)) {
    columns *= rows;
    rows = 1;
  }
  for (index_t r = 0; r != rows; ++r) {
    index_t const first = at + r * w.pitch, i = r * columns;
    if (w.level == nullptr) {
      f(number_run{i, first, w.step, columns});
    } else if (by_rows) {
      row_major_walk walk(*w.level, first);
      for (index_t j = 0; j != columns;) {
        index_t const left = walk.left(), n = left < columns - j ? left : columns - j;
        f(number_run{i + j, walk.position(), walk.step(), n});
        walk.advance(n);
        j += n;
      }
    } else {
      for (index_t j = 0; j != columns; ++j)
        f(number_run{i + j, position_of(*w.level, first + j * w.step), 0, 1});
    }
  }
}

}}}  // namespace placement::v0_1::detail
