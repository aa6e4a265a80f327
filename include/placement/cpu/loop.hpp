#pragma once
/// The loop that all element-wise work of the CPU comes down to.

#include <placement/shape/extents.hpp>

namespace placement::inline v0_1::detail {

/// out[i] = f(i) for i below n, where f reads what lies at out[i] or elsewhere. In blocks of a
/// length that the compiler knows: a vector loop at -O2, too.
template <index_t Block = PLACEMENT_LOOP_CHUNK, class R, class F>
[[gnu::always_inline]] inline void write_each(R* out, index_t n, F const& f) {
  index_t const whole = n / Block * Block;
  for (index_t i = 0; i != whole; i += Block) {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t j = 0; j < Block; ++j) out[i + j] = f(i + j);
  }
  PLACEMENT_SAME_INDEX_ONLY
  for (index_t i = whole; i < n; ++i) out[i] = f(i);
}

}  // namespace placement::inline v0_1::detail
