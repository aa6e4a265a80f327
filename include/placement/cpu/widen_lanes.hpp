#pragma once
/// Registers of floats as registers of doubles.

#include <placement/cpu/by_level.hpp>
#include <placement/cpu/lanes.hpp>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// The lanes of x as doubles. g++ 12 converts from 8 bytes one by one and to 64 bytes in halves, so
/// the latter is called by its name. by_level.hpp has declared a function of that level.
template <int N>
PLACEMENT_ALWAYS_INLINE inline void widen_lanes(lanes<double, N>& to, lanes<float, N> const& x) {
  constexpr bool has_names = PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE;
  if constexpr (has_names && N == 8) {
    lanes<double, N> const none{};
    to = __builtin_ia32_cvtps2pd512_mask(x, none, -1, 4);
  } else if constexpr (N == 2) {
    to = lanes<double, N>{static_cast<double>(x[0]), static_cast<double>(x[1])};
  } else {
    to = __builtin_convertvector(x, lanes<double, N>);
  }
}
/// Doubles stay as they are.
template <int N>
PLACEMENT_ALWAYS_INLINE inline void widen_lanes(lanes<double, N>& to, lanes<double, N> const& x) {
  to = x;
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
