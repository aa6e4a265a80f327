#pragma once
/// Lanes of elements that are read together, and their combination into one.

#include <placement/config.hpp>
#include <placement/shape/extents.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace detail {

/// Adjacent elements of a block that are read together: one cache line, so that lines are read in
/// order.
template <class T>
inline constexpr std::size_t lanes_together = sizeof(T) < 2   ? 32
                                              : sizeof(T) > 8 ? 8
                                                              : 64 / sizeof(T);

/// Combines N lanes into one. Many lanes are first reduced to a quarter, in a vectorised loop of
/// a constant length; the others are combined with their neighbours.
template <index_t N, class S, class Join>
PLACEMENT_ALWAYS_INLINE inline S join_lanes(S* lane, Join const& join) {
  if constexpr (N == 1) {
    return lane[0];
  } else if constexpr (N <= 8) {
    return join(join_lanes<N / 2>(lane, join), join_lanes<N / 2>(lane + N / 2, join));
  } else {
    PLACEMENT_SAME_INDEX_ONLY
    for (index_t l = 0; l < N / 4; ++l)
      lane[l] = join(join(lane[l], lane[l + N / 4]), join(lane[l + N / 2], lane[l + N / 4 * 3]));
    return join_lanes<N / 4>(lane, join);
  }
}

/// A sum, as join_lanes() combines lanes.
struct adding_lanes {
  template <class T> PLACEMENT_ALWAYS_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};

}}}  // namespace placement::v0_1::detail
