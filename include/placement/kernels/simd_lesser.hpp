#pragma once
/// The lesser and the greater of two registers of floating-point numbers.

#include <placement/kernels/simd_register.hpp>

namespace placement { inline namespace v0_1 { namespace simd { namespace detail {

/// a < b ? a : b in each lane, so b where either is NaN. By its instruction in registers of 64
/// bytes, for which g++ 12 compares and blends.
template <class V> PLACEMENT_ALWAYS_INLINE inline V lesser_lanes(V a, V b) {
#if PLACEMENT_VECTOR_X86 && PLACEMENT_HAS_PACKS && !PLACEMENT_VECTOR_ELEMENTWISE
  if constexpr (sizeof(V) == 64 && sizeof(lane_t<V>) == 4)
    return __builtin_ia32_minps512_mask(a, b, b, -1, 4);
  else if constexpr (sizeof(V) == 64) return __builtin_ia32_minpd512_mask(a, b, b, -1, 4);
#endif
  return a < b ? a : b;
}
/// a > b ? a : b, in the same way.
template <class V> PLACEMENT_ALWAYS_INLINE inline V greater_lanes(V a, V b) {
#if PLACEMENT_VECTOR_X86 && PLACEMENT_HAS_PACKS && !PLACEMENT_VECTOR_ELEMENTWISE
  if constexpr (sizeof(V) == 64 && sizeof(lane_t<V>) == 4)
    return __builtin_ia32_maxps512_mask(a, b, b, -1, 4);
  else if constexpr (sizeof(V) == 64) return __builtin_ia32_maxpd512_mask(a, b, b, -1, 4);
#endif
  return a > b ? a : b;
}

}}}}  // namespace placement::v0_1::simd::detail
