#pragma once
/// Transposes a tile of elements in registers.

#include <placement/cpu/lanes.hpp>
#include <placement/kernels/simd_register.hpp>

#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Interleaves pairs of vectors that are Step apart.
template <int N, int Step, class S, int... J>
PLACEMENT_ALWAYS_INLINE inline void swap_blocks(lanes<S, N>& a, lanes<S, N>& b,
                                                std::integer_sequence<int, J...>) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  lanes<S, N> const x = a, y = b;
  a = PLACEMENT_SHUFFLE(x, y, ((J & Step) != 0 ? N + (J ^ Step) : J)...);
  b = PLACEMENT_SHUFFLE(x, y, ((J & Step) != 0 ? N + J : (J | Step))...);
}
/// Transposes an N x N tile: vector i becomes lane i of all vectors. Step is 1.
template <int N, int Step, class S>
PLACEMENT_ALWAYS_INLINE inline void transpose_lanes(lanes<S, N>* x) {
  if constexpr (Step < N) {
    each<N>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      if constexpr ((i & Step) == 0)
        swap_blocks<N, Step, S>(x[i], x[i | Step], std::make_integer_sequence<int, N>{});
    });
    transpose_lanes<N, 2 * Step, S>(x);
  }
}
}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
