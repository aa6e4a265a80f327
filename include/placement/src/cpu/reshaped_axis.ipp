#pragma once
/// Definitions of reshaped_axis.hpp.

#include <placement/config.hpp>
#include <placement/cpu/reshaped_axis.hpp>
#include <placement/src/shape/extents.ipp>

namespace placement { inline namespace v0_1 { namespace detail {

/// The dimensions of a shape with an extent other than 1. Those at [first, end) are reduced.
struct reshaped_axis::dimensions {
  std::size_t source[max_rank]{}, count = 0, first = 0, end = 0;

  dimensions(any_shape const& x, index_t before, index_t depth) {
    for (std::size_t d = 0; d != x.rank; ++d)
      if (x.extent[d] != 1) source[count++] = d;
    index_t n = 1;
    while (n < before && first != count) n *= x.extent[source[first++]];
    bool const begins = n == before;
    n = 1;
    for (end = first; n < depth && end != count;) n *= x.extent[source[end++]];
    exist = begins && n == depth;
  }
  bool exist;
};

/// Whether a layout is that of dense elements of shape x.
PLACEMENT_INLINE bool is_dense_layout(layout_level const& level, any_shape const& x) {
  index_t stride[max_rank];
  row_major_strides(x, stride);
  bool same = level.outer == nullptr && level.rank == x.rank && level.base == 0;
  for (std::size_t d = 0; same && d != x.rank; ++d) same = level.stride[d] == stride[d];
  return same;
}

/// Finds the dimensions that are the axis, and makes the call without the reshape.
PLACEMENT_INLINE bool reshaped_axis::find_dimensions(any_shape const& x, std::size_t axis) {
  index_t before = 1;
  for (std::size_t d = 0; d != axis; ++d) before *= x.extent[d];
  dimensions const from(from_, before, x.extent[axis]);
  if (!from.exist) return false;
  add(from, 0, from.first);
  std::size_t const kept = rank_;
  add(from, from.first, from.end);
  reduced_ = rank_ - kept;
  axis_ = rank_ - 1;
  add(from, from.end, from.count);
  for (unsigned k = 0; k != call_.operands; ++k) {
    operand_[k] = call_.operand[k];
    if (operand_[k].level == nullptr) continue;
    level_[k].layout = {operand_[k].level->base, level_[k].stride, rank_, nullptr, nullptr};
    operand_[k].level = &level_[k].layout;
  }
  call_.operand = operand_.data();
  return true;
}

PLACEMENT_INLINE void reshaped_axis::move_back(std::size_t following) {
  std::size_t const end = rank_ - following;
  auto const move = [this, end](index_t* list) {
    for (std::size_t i = 0; i != reduced_; ++i)
      for (std::size_t d = axis_ + 1 - reduced_; d + 1 < end; ++d) {
        index_t const first = list[d];
        list[d] = list[d + 1];
        list[d + 1] = first;
      }
  };
  move(extent_);
  for (unsigned k = 0; k != call_.operands; ++k) move(level_[k].stride);
  axis_ = end - 1;
}

/// Finds the shape that was reshaped to x: that of all operands with the layout of a reshape.
PLACEMENT_INLINE bool reshaped_axis::find_shape(any_shape const& x) {
  for (unsigned k = 0; k != call_.operands; ++k) {
    layout_level const* const level = call_.operand[k].level;
    if (level == nullptr) {
      if (!call_.operand[k].is_single) return false;
    } else if (level->outer == nullptr) {
      if (!is_dense_layout(*level, x)) return false;
    } else {
      any_shape const from(level->rank, level->extent);
      if (!is_dense_layout(*level->outer, x)) return false;
      if (from_.rank != 0 && from_.rank != from.rank) return false;
      for (std::size_t d = 0; d != from_.rank; ++d)
        if (from_.extent[d] != from.extent[d]) return false;
      from_ = from;
    }
  }
  row_major_strides(from_, dense_);
  return from_.rank != 0;
}

PLACEMENT_INLINE index_t reshaped_axis::stride_of(unsigned k, std::size_t d) const {
  layout_level const* const level = call_.operand[k].level;
  if (level == nullptr) return 0;
  return level->outer == nullptr ? dense_[d] : level->stride[d];
}

/// Whether all operands step through the last dimension and dimension `source` as through one.
PLACEMENT_INLINE bool reshaped_axis::joins(std::size_t source) const {
  for (unsigned k = 0; k != call_.operands; ++k)
    if (level_[k].stride[rank_ - 1] != stride_of(k, source) * from_.extent[source]) return false;
  return true;
}

/// Adds dimensions [first, end), joined where possible.
PLACEMENT_INLINE void reshaped_axis::add(dimensions const& from, std::size_t first,
                                         std::size_t end) {
  for (std::size_t i = first; i != end; ++i) {
    std::size_t const source = from.source[i];
    if (i == first || !joins(source)) extent_[rank_++] = 1;
    extent_[rank_ - 1] *= from_.extent[source];
    for (unsigned k = 0; k != call_.operands; ++k)
      level_[k].stride[rank_ - 1] = stride_of(k, source);
  }
}

}}}  // namespace placement::v0_1::detail
