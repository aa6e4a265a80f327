#pragma once
/// A loop over columns that compilers make vector code of.

#include <placement/config.hpp>
#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Calls f(j) for each column, mostly in loops of a constant length.
template <class Do> PLACEMENT_ALWAYS_INLINE inline void for_columns(index_t n, Do const& f) {
  constexpr index_t loop_chunk = 16;
  index_t const whole = n / loop_chunk * loop_chunk;
  for (index_t i = 0; i != whole; i += loop_chunk) {
    PLACEMENT_SAME_INDEX_ONLY_SHORT
    for (index_t j = 0; j < loop_chunk; ++j) f(i + j);
  }
  for (index_t j = whole; j < n; ++j) f(j);
}

}}}  // namespace placement::v0_1::detail
