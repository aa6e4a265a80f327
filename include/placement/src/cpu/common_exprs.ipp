#pragma once
/// Definitions of common_exprs.hpp.

#include <placement/config.hpp>
#include <placement/cpu/common_exprs.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

inline bool same_layout(layout_level const* a, layout_level const* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->base != b->base || a->rank != b->rank) return false;
  if ((a->extent == nullptr) != (b->extent == nullptr)) return false;
  for (std::size_t d = 0; d != a->rank; ++d) {
    if (a->stride[d] != b->stride[d]) return false;
    if (a->extent != nullptr && a->extent[d] != b->extent[d]) return false;
  }
  return same_layout(a->outer, b->outer);
}
PLACEMENT_INLINE bool same_operand(block_operand const& a, block_operand const& b) {
  return a.data == b.data && a.bytes == b.bytes && same_layout(a.level, b.level);
}

}}}  // namespace placement::v0_1::detail
