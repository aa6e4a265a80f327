#pragma once
/// Definitions of fused_operands.hpp.

#include <placement/config.hpp>
#include <placement/expr/fused_operands.hpp>
#include <placement/expr/reads.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE operand_source& fused_operands::add_slot(unsigned bytes, any_shape const& as) {
  operand_source& s = source_[table.operands];
  if (as.rank == 0 && !are_factors) table.add_single(bytes);
  else table.add_dense(bytes, as);
  return s;
}
PLACEMENT_INLINE void fused_operands::add_computed(unsigned bytes, any_shape const& as) {
  add_slot(bytes, as) = {nullptr, nullptr, 0};
}
PLACEMENT_INLINE void fused_operands::add_buffer(buffer const* b, std::size_t count, unsigned bytes,
                                                 bool is_handle, any_shape const& as) {
  add_slot(bytes, as) = {b, nullptr, count};
  collected.add(b, bytes, is_handle, are_views);
}
PLACEMENT_INLINE void fused_operands::add_inline(void const* data, std::size_t count,
                                                 unsigned bytes, any_shape const& as) {
  add_slot(bytes, as) = {nullptr, data, count};
  collected.add_inline(data, count * bytes);
}

PLACEMENT_INLINE byte_range fused_operands::copied_bytes(unsigned k,
                                                         operand_source const& from) const {
  std::size_t const size = from.bytes(table.operand[k].bytes);
  byte_range all = table.read_bytes(k, size);
  for (bool grows = all.size != 0; grows;) {
    grows = false;
    for (unsigned j = k + 1; j != table.operands; ++j) {
      if (table.operand[j].bytes == 0 || source_[j].memory() != from.memory()) continue;
      byte_range const other = table.read_bytes(j, size);
      if (other.size == 0 || other.last() > size || !all.touches(other) || all.contains(other))
        continue;
      all = all.with(other);
      grows = true;
    }
  }
  return all;
}

}}}  // namespace placement::v0_1::detail
