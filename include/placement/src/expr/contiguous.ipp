#pragma once
/// Definitions of contiguous.hpp.

#include <placement/config.hpp>
#include <placement/expr/contiguous.hpp>

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

}}}  // namespace placement::v0_1::detail
