#pragma once
/// The loop of all element-wise kernels of the CPU.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// out[i] = f(i) for i below n. f(i) may read out[i] and no other element of out. The inner loop
/// has a constant length, so that g++ vectorises it at -O2.
template <index_t Block = PLACEMENT_LOOP_CHUNK, class R, class F>
PLACEMENT_ALWAYS_INLINE inline void write_each(R* out, index_t n, F const& f) {
  index_t const whole = n / Block * Block;
  for (index_t i = 0; i != whole; i += Block) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t j = 0; j < Block; ++j) out[i + j] = f(i + j);
  }
  PLACEMENT_SAME_INDEX_ONLY
  for (index_t i = whole; i < n; ++i) out[i] = f(i);
}

}}}  // namespace placement::v0_1::detail
