#pragma once
/// Definitions of operand_table.hpp.

#include <placement/config.hpp>
#include <placement/exec/operand_table.hpp>
#include <placement/shape/extents.hpp>
#include <placement/shape/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

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

/// Elements of one operand, or those that a kernel writes. Units: bytes.
struct strided_bytes {
  std::uintptr_t first = 0;      ///< of the first element
  index_t below = 0, above = 0;  ///< from there to the first byte of all, and behind the last one
  index_t bytes = 0;
  index_t stride[max_rank]{};

  strided_bytes(void const* data, unsigned element, layout_level const* l, any_shape const& x)
      : bytes(element) {
    index_t const base = l != nullptr ? l->base * bytes : 0;
    first = reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(base);
    above = bytes;
    for (std::size_t d = 0; l != nullptr && d != x.rank; ++d) {
      stride[d] = l->stride[d] * bytes;
      index_t const way = (x.extent[d] - 1) * stride[d];
      (way < 0 ? below : above) += way;
    }
  }

  /// The greatest common divisor of g and all strides.
  index_t common_step(index_t g, any_shape const& x) const {
    for (std::size_t d = 0; d != x.rank; ++d) {
      index_t rest = x.extent[d] == 1 ? 0 : stride[d];
      while (rest != 0) rest = std::exchange(g, rest) % rest;
    }
    return g < 0 ? -g : g;
  }
  bool is_apart(strided_bytes const& o) const {
    auto const way = static_cast<index_t>(o.first - first);
    return way + o.below >= above || way + o.above <= below;
  }
  /// Do the other elements lie between these, as the odd ones lie between the even ones?
  bool is_between(strided_bytes const& o, any_shape const& x) const {
    index_t const step = o.common_step(common_step(0, x), x);
    if (step == 0) return false;
    index_t way = static_cast<index_t>(o.first - first) % step;
    if (way < 0) way += step;
    return way >= bytes && way + o.bytes <= step;
  }
  bool is_same(strided_bytes const& o, any_shape const& x) const {
    bool same = first == o.first && bytes == o.bytes;
    for (std::size_t d = 0; same && d != x.rank; ++d)
      same = x.extent[d] == 1 || stride[d] == o.stride[d];
    return same;
  }
};

PLACEMENT_INLINE bool operand_table::may_write(written_elements const& to) const {
  strided_bytes const written(to.data, to.bytes, &to.where, to.shape);
  for (unsigned k = 0; k != operands; ++k) {
    block_operand const& o = operand[k];
    if (o.bytes == 0 || o.data == nullptr) continue;
    if (o.level != nullptr && o.level->outer != nullptr) {  // all that is below the reshape
      any_shape const below(o.level->rank, o.level->extent);
      if (!written.is_apart({o.data, o.bytes, o.level, below})) return false;
      continue;
    }
    strided_bytes const read(o.data, o.bytes, o.level, to.shape);
    if (!written.is_apart(read) && !written.is_same(read, to.shape) &&
        !written.is_between(read, to.shape))
      return false;
  }
  return true;
}

PLACEMENT_INLINE void operand_table::set_copy(unsigned k, void const* copy, std::size_t first) {
  operand[k].data = copy;
  table_level* const l = level_of(k);
  if (copy == nullptr && l != nullptr) l->layout.base = 0;  // nothing is read
  else if (first != 0) l->layout.base -= static_cast<index_t>(first / operand[k].bytes);
}

}}}  // namespace placement::v0_1::detail
