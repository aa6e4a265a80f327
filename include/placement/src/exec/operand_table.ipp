#pragma once
/// Definitions of operand_table.hpp.

#include <placement/config.hpp>
#include <placement/exec/operand_table.hpp>
#include <placement/shape/extents.hpp>
#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE bool same_extents(any_shape const& a, any_shape const& b) {
  if (a.rank != b.rank) return false;
  if (a.extent == b.extent) return true;
  for (std::size_t d = 0; d != a.rank; ++d)
    if (a.extent[d] != b.extent[d]) return false;
  return true;
}

PLACEMENT_INLINE void broadcast_strides(table_level& l, any_shape const& from,
                                        any_shape const& to) {
  std::size_t const added = to.rank - from.rank;
  for (std::size_t d = from.rank; d-- > 0;) {
    std::size_t const t = d + added;
    l.stride[t] = from.extent[d] == 1 && to.extent[t] != 1 ? 0 : l.stride[d];
  }
  for (std::size_t t = 0; t != added; ++t) l.stride[t] = 0;
  l.layout.rank = to.rank;
}

PLACEMENT_INLINE table_level& operand_table::add_level(any_shape const& x) {
  table_level& l = level[levels++];
  l.view_extent = nullptr;
  l.layout = {0, row_major_strides(x, l.stride), x.rank, extent_, outer_};
  if (!same_extents(x, shape_)) {
    broadcast_strides(l, x, shape_);
    is_contiguous = false;
  }
  return l;
}

PLACEMENT_INLINE void operand_table::add_dense(unsigned bytes, any_shape const& x) {
  table_level const& l = add_level(x);
  operand[operands++] = {nullptr, &l.layout, bytes, false};
}

PLACEMENT_INLINE operand_table::frame operand_table::begin_view(any_shape const& x) {
  frame const f{shape_, outer_, extent_, levels};
  shape_ = x;
  is_contiguous = false;
  return f;
}

PLACEMENT_INLINE void operand_table::end_view(frame const& f, any_shape const& x) {
  if (!same_extents(x, f.shape))
    change_layouts(f, [&](table_level& l) { broadcast_strides(l, x, f.shape); });
  restore(f);
}

PLACEMENT_INLINE void operand_table::end_factor(frame const& f, any_shape const& x) {
  any_shape const& own = shape_;
  bool is_broadcast = own.rank != x.rank;
  for (std::size_t d = 0; !is_broadcast && d + 2 < own.rank; ++d)
    is_broadcast = own.extent[d] != x.extent[d];
  if (!is_broadcast) return restore(f);
  index_t extent[max_rank];
  for (std::size_t d = 0; d != own.rank; ++d)
    extent[d] = d + 2 < own.rank ? own.extent[d] : x.extent[d + x.rank - own.rank];
  change_layouts(f, [&](table_level& l) { broadcast_strides(l, {own.rank, extent}, x); });
  restore(f);
}

PLACEMENT_INLINE operand_table::frame operand_table::begin_reshape(any_shape const& x,
                                                                   any_shape const& below) {
  frame const f{shape_, outer_, extent_, levels};
  table_level& l = add_level(x);
  for (std::size_t d = 0; d != below.rank; ++d) l.extent[d] = below.extent[d];
  shape_ = {below.rank, l.extent};
  outer_ = &l.layout;
  extent_ = l.extent;
  return f;
}

PLACEMENT_INLINE table_level* operand_table::level_of(unsigned k) const {
  for (unsigned i = 0; i != levels; ++i)
    if (&level[i].layout == operand[k].level) return level + i;
  return nullptr;
}

PLACEMENT_INLINE byte_range operand_table::read_bytes(unsigned k, std::size_t size) const {
  table_level const* const l = level_of(k);
  if (l == nullptr || l->view_extent == nullptr) return {0, size};
  index_t const* const stride = l->stride + (l->layout.rank - l->view_rank);
  position_range const read =
      positions_read(l->layout.base, stride, {l->view_rank, l->view_extent});
  std::size_t const element = operand[k].bytes;
  return {static_cast<std::size_t>(read.first) * element,
          static_cast<std::size_t>(read.count) * element};
}

PLACEMENT_INLINE void operand_table::set_copy(unsigned k, void const* copy, std::size_t first) {
  operand[k].data = copy;
  table_level* const l = level_of(k);
  if (copy == nullptr && l != nullptr) l->layout.base = 0;  // nothing is read
  else if (first != 0) l->layout.base -= static_cast<index_t>(first / operand[k].bytes);
}

}}}  // namespace placement::v0_1::detail
