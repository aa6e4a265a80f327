#pragma once
/// Square roots of a register of the level in use. Included by definitions in src/.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/kernels/simd_register.hpp>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Correctly rounded, as the standard library's.
struct sqrt_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) {
    constexpr bool is_float = sizeof(V) / N == 4;
    constexpr bool has_instructions = PLACEMENT_HAS_LEVELS && sizeof x != 16;
    if constexpr (PLACEMENT_VECTOR_ELEMENTWISE && sizeof x != 16) {
      y = __builtin_elementwise_sqrt(x);
    } else if constexpr (!has_instructions) {
      y = simd::detail::sqrt(x);
    } else if constexpr (sizeof x == 32) {
      if constexpr (is_float) y = __builtin_ia32_sqrtps256(x);
      else y = __builtin_ia32_sqrtpd256(x);
    } else {
      if constexpr (is_float) y = __builtin_ia32_sqrtps512_mask(x, x, -1, 4);
      else y = __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
    }
  }
};

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
