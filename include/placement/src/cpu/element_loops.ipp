#pragma once
/// Definitions of element_loops.hpp: loops over vector registers of the level in use.

#include <placement/config.hpp>
#include <placement/cpu/element_loops.hpp>
#include <placement/cpu/register_loop.hpp>
#include <placement/cpu/rsqrt_loop.hpp>
#include <placement/cpu/sqrt_lanes.hpp>
#include <placement/kernels/simd_register.hpp>
#include <placement/math/bits.hpp>

#include <cstdint>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

// ---- formulas of registers, as those of the ops

struct negative_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) { y = -x; }
};
struct abs_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) {
    using bits = lanes<math::bits_of<simd::detail::lane_t<V>>, N>;
    y = __builtin_bit_cast(V, static_cast<bits>(__builtin_bit_cast(bits, x) << 1 >> 1));
  }
};
struct divide_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    y = a / b;
  }
};
struct maximum_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    y = b > a ? b : a;
    PLACEMENT_ROUNDED_WIDE(y);  // g++ makes code for single lanes of two choices together
    y = b == b ? y : b;
  }
};
struct minimum_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    y = b < a ? b : a;
    PLACEMENT_ROUNDED_WIDE(y);  // g++ makes code for single lanes of two choices together
    y = b == b ? y : b;
  }
};
struct clamp_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x, V const& low, V const& high) {
    V least;
    maximum_lanes::apply<N>(least, x, low);
    minimum_lanes::apply<N>(y, least, high);
  }
};
/// 0 for -0; NaN stays NaN.
struct relu_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) {
    V const zero{};
    y = x <= zero ? zero : x;
  }
};
struct replace_nan_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x, V const& number) {
    y = x == x ? x : number;
  }
};
/// -1 or 1; x where it is 0 or NaN.
struct sign_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) {
    V const zero{}, one = zero + 1, minus_one = zero - 1;
    y = x > zero ? one : x;
    PLACEMENT_ROUNDED_WIDE(y);  // g++ makes code for single lanes of two choices together
    y = x < zero ? minus_one : y;
  }
};
/// As simd::next_number. Masks are kept apart, as g++ for SSE2 combines those of doubles one lane
/// at a time.
struct next_after_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    using T = simd::detail::lane_t<V>;
    using bits = lanes<math::bits_of<T>, N>;
    V const zero{}, sum = a + b, least = zero + math::from_bits<T>(1), most = zero - least;
    bits below = __builtin_bit_cast(bits, a < b), above_0 = __builtin_bit_cast(bits, a > zero);
    PLACEMENT_ROUNDED_WIDE(below);
    PLACEMENT_ROUNDED_WIDE(above_0);
    bits const step = (below ^ above_0) | 1;  // 1 away from 0, -1 towards it
    V const moved = __builtin_bit_cast(V, static_cast<bits>(__builtin_bit_cast(bits, a) + step));
    V next = b < zero ? most : least;
    PLACEMENT_ROUNDED_WIDE(next);
    next = a == zero ? next : moved;
    PLACEMENT_ROUNDED_WIDE(next);
    next = a == b ? b : next;
    PLACEMENT_ROUNDED_WIDE(next);
    next = a == a ? next : sum;
    PLACEMENT_ROUNDED_WIDE(next);
    y = b == b ? next : sum;
  }
};
/// 0 for NaN; beyond the ends the nearer end.
struct float_to_int_lanes {
  template <int N, class I, class V> PLACEMENT_ALWAYS_INLINE static void apply(I& y, V const& x) {
    V const zero{}, first = zero - 0x1p31f, past = zero + 0x1p31f;
    V fits = x < past ? x : zero;
    fits = fits > first ? fits : first;
    y = __builtin_convertvector(fits, I);
    I const none{}, last = none + 0x7fffffff;
    y = x >= past ? last : y;
  }
};

// ---- whole numbers

/// By an instruction of the level: its name in g++, or clang's function of vectors of any level.
/// g++ knows the names, as by_level.hpp has declared functions of these levels.
template <simd::detail::rounding How> struct round_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) {
    constexpr int how = static_cast<int>(How);
    constexpr bool is_float = sizeof(V) / N == 4;
    constexpr bool has_instructions = PLACEMENT_HAS_LEVELS && sizeof x != 16;
    using rounding = simd::detail::rounding;
    if constexpr (PLACEMENT_VECTOR_ELEMENTWISE && sizeof x != 16) {
      if constexpr (How == rounding::nearest) y = __builtin_elementwise_nearbyint(x);
      else if constexpr (How == rounding::down) y = __builtin_elementwise_floor(x);
      else if constexpr (How == rounding::up) y = __builtin_elementwise_ceil(x);
      else y = __builtin_elementwise_trunc(x);
    } else if constexpr (!has_instructions) {
      y = simd::detail::round<How>(x);
    } else if constexpr (sizeof x == 32) {
      if constexpr (is_float) y = __builtin_ia32_roundps256(x, how);
      else y = __builtin_ia32_roundpd256(x, how);
    } else {
      if constexpr (is_float) y = __builtin_ia32_rndscaleps_mask(x, how, x, -1, 4);
      else y = __builtin_ia32_rndscalepd_mask(x, how, x, -1, 4);
    }
  }
};

template <class T> void element_loops<T>::negative(T* to, T const* x, index_t n) {
  run_registers<negative_lanes>(to, n, x);
}
template <class T> void element_loops<T>::abs(T* to, T const* x, index_t n) {
  run_registers<abs_lanes>(to, n, x);
}
template <class T> void element_loops<T>::floor(T* to, T const* x, index_t n) {
  run_registers<round_lanes<simd::detail::rounding::down>>(to, n, x);
}
template <class T> void element_loops<T>::ceil(T* to, T const* x, index_t n) {
  run_registers<round_lanes<simd::detail::rounding::up>>(to, n, x);
}
template <class T> void element_loops<T>::round(T* to, T const* x, index_t n) {
  run_registers<round_lanes<simd::detail::rounding::nearest>>(to, n, x);
}
template <class T> void element_loops<T>::trunc(T* to, T const* x, index_t n) {
  run_registers<round_lanes<simd::detail::rounding::to_zero>>(to, n, x);
}
template <class T> void element_loops<T>::sqrt(T* to, T const* x, index_t n) {
  run_registers<sqrt_lanes>(to, n, x);
}
template <class T> void element_loops<T>::rsqrt(T* to, T const* x, index_t n) {
  run_by_width(rsqrt_loop<T>{to, x, n});
}
template <class T> void element_loops<T>::reciprocal(T* to, T const* x, index_t n) {
  run_registers<divide_lanes>(to, n, T{1}, x);
}
template <class T> void element_loops<T>::maximum(T* to, T const* x, T const* y, index_t n) {
  run_registers<maximum_lanes>(to, n, x, y);
}
template <class T> void element_loops<T>::maximum(T* to, T const* x, T y, index_t n) {
  run_registers<maximum_lanes>(to, n, x, y);
}
template <class T> void element_loops<T>::minimum(T* to, T const* x, T const* y, index_t n) {
  run_registers<minimum_lanes>(to, n, x, y);
}
template <class T> void element_loops<T>::minimum(T* to, T const* x, T y, index_t n) {
  run_registers<minimum_lanes>(to, n, x, y);
}
template <class T> void element_loops<T>::clamp(T* to, T const* x, T low, T high, index_t n) {
  run_registers<clamp_lanes>(to, n, x, low, high);
}
template <class T> void element_loops<T>::replace_nan(T* to, T const* x, T number, index_t n) {
  run_registers<replace_nan_lanes>(to, n, x, number);
}
template <class T> void element_loops<T>::relu(T* to, T const* x, index_t n) {
  run_registers<relu_lanes>(to, n, x);
}
template <class T> void element_loops<T>::sign(T* to, T const* x, index_t n) {
  run_registers<sign_lanes>(to, n, x);
}
template <class T> void element_loops<T>::next_after(T* to, T const* x, T const* y, index_t n) {
  run_registers<next_after_lanes>(to, n, x, y);
}
template <class T> void element_loops<T>::next_after(T* to, T const* x, T y, index_t n) {
  run_registers<next_after_lanes>(to, n, x, y);
}
PLACEMENT_INLINE void cast_loops::to_int(std::int32_t* to, float const* x, index_t n) {
  run_registers<float_to_int_lanes>(to, n, x);
}

#if defined(PLACEMENT_EMIT_DEFINITIONS)
template struct element_loops<float>;
template struct element_loops<double>;
#endif

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
