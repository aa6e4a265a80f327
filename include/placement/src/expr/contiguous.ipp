#pragma once
/// Definitions of contiguous.hpp and contiguous_joint.hpp.

#include <placement/config.hpp>
#include <placement/expr/contiguous.hpp>
#include <placement/expr/contiguous_joint.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE bool overlaps_inputs(buffer const& out, block_operand const* kinds,
                                      block_input const* in, unsigned inputs, std::size_t count,
                                      bool in_place) {
  for (unsigned k = 0; k != inputs; ++k) {
    std::size_t const bytes = kinds[k].bytes * (kinds[k].is_single ? 1 : count);
    if (in_place && in[k].data == out.data() && bytes == out.size()) continue;
    if (ranges_overlap(in[k].data, bytes, out.data(), out.size())) return true;
  }
  return false;
}

PLACEMENT_INLINE bool are_free_to_write(contiguous_result const* results, unsigned n,
                                        block_input const* in, unsigned inputs, std::size_t count) {
  if (count == 0) return false;
  for (unsigned i = 0; i != n; ++i) {
    buffer const* const b = results[i].elements;
    if (b == nullptr) return false;
    int handles = 0;
    for (unsigned k = 0; k != inputs; ++k) handles += in[k].data == b->data() ? 1 : 0;
    if (!b->is_free_to_write(cpu0, count * results[i].bytes, handles)) return false;
  }
  return true;
}
PLACEMENT_INLINE void set_operands(block_operand* to, block_operand const* kinds,
                                   block_input const* in, unsigned n) {
  for (unsigned k = 0; k != n; ++k) {
    to[k] = kinds[k];
    to[k].data = in[k].data;
  }
}

}}}  // namespace placement::v0_1::detail
