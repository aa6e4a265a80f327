#pragma once
/// The lesser and the greater of two registers of floating-point numbers.

#include <placement/kernels/simd_register.hpp>

namespace placement { inline namespace v0_1 { namespace simd { namespace detail {

/// a < b ? a : b in each lane, so b where either is NaN. By its instruction, as g++ 12 compares and
/// blends.
template <class V> PLACEMENT_ALWAYS_INLINE inline V lesser_lanes(V a, V b) {
#if PLACEMENT_VECTOR_X86 && PLACEMENT_HAS_PACKS && !PLACEMENT_VECTOR_ELEMENTWISE
  constexpr bool is_float = sizeof(lane_t<V>) == 4;
  if constexpr (sizeof(V) == 64 && is_float) return __builtin_ia32_minps512_mask(a, b, b, -1, 4);
  else if constexpr (sizeof(V) == 64) return __builtin_ia32_minpd512_mask(a, b, b, -1, 4);
  else if constexpr (sizeof(V) == 32 && is_float) return __builtin_ia32_minps256(a, b);
  else if constexpr (sizeof(V) == 32) return __builtin_ia32_minpd256(a, b);
  else if constexpr (is_float) return __builtin_ia32_minps(a, b);
  else return __builtin_ia32_minpd(a, b);
#else
  return a < b ? a : b;
#endif
}
/// a > b ? a : b, in the same way.
template <class V> PLACEMENT_ALWAYS_INLINE inline V greater_lanes(V a, V b) {
#if PLACEMENT_VECTOR_X86 && PLACEMENT_HAS_PACKS && !PLACEMENT_VECTOR_ELEMENTWISE
  constexpr bool is_float = sizeof(lane_t<V>) == 4;
  if constexpr (sizeof(V) == 64 && is_float) return __builtin_ia32_maxps512_mask(a, b, b, -1, 4);
  else if constexpr (sizeof(V) == 64) return __builtin_ia32_maxpd512_mask(a, b, b, -1, 4);
  else if constexpr (sizeof(V) == 32 && is_float) return __builtin_ia32_maxps256(a, b);
  else if constexpr (sizeof(V) == 32) return __builtin_ia32_maxpd256(a, b);
  else if constexpr (is_float) return __builtin_ia32_maxps(a, b);
  else return __builtin_ia32_maxpd(a, b);
#else
  return a > b ? a : b;
#endif
}

}}}}  // namespace placement::v0_1::simd::detail
