#pragma once
/// The loop of 1 / sqrt(x), as in math/rsqrt.hpp, over registers of the level in use. Included by
/// src/cpu/element_loops.ipp.

#include <placement/config.hpp>
#include <placement/cpu/register_loop.hpp>
#include <placement/kernels/simd_register.hpp>
#include <placement/math/bits.hpp>

#include <cstddef>
#include <cstring>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// a * b, rounded, as on every level.
template <class V> PLACEMENT_ALWAYS_INLINE inline void multiply_rounded(V& a, V const& b) {
  a = a * b;
  PLACEMENT_ROUNDED_WIDE(a);
}
/// a * b + c, both rounded; a becomes the result.
template <class V>
PLACEMENT_ALWAYS_INLINE inline void multiply_then_add(V& a, V const& b, V const& c) {
  multiply_rounded(a, b);
  a = a + c;
}
/// 1 - x y y.
template <class V> PLACEMENT_ALWAYS_INLINE inline void set_error(V& e, V const& x, V const& y) {
  e = x;
  multiply_rounded(e, y);
  multiply_rounded(e, y);
  e = 1 - e;
}
/// Of positive normal numbers.
struct rsqrt_of_normal_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) {
    using T = simd::detail::lane_t<V>;
    using U = math::bits_of<T>;
    using bits = lanes<U, N>;
    constexpr U magic = static_cast<U>(sizeof(T) == 4 ? 0x5f1ffff9u : 0x5fe6eb50c7b537a9u);
    V const zero{}, half = zero + T(0.5), three_eighths = zero + T(0.375);
    y = __builtin_bit_cast(V, static_cast<bits>(magic - (__builtin_bit_cast(bits, x) >> 1)));
    if constexpr (sizeof(T) == 4) {
      V factor = x;
      multiply_rounded(factor, y);
      multiply_rounded(factor, y);
      multiply_then_add(factor, V(zero + T(-0.703952253f)), V(zero + T(1.68191391f)));
      multiply_rounded(y, factor);
    } else {
      V e, p;
      set_error(e, x, y);
      p = e;
      multiply_then_add(p, V(zero + T(0.2734375)), V(zero + T(0.3125)));
      multiply_then_add(p, e, three_eighths);
      multiply_then_add(p, e, half);
      multiply_rounded(e, y);
      multiply_then_add(e, p, y);
      y = e;
    }
    V e;
    set_error(e, x, y);
    V p = y, q = e;
    multiply_then_add(q, three_eighths, half);
    multiply_rounded(p, e);
    multiply_then_add(p, q, y);
    y = p;
  }
};
/// Of all numbers: infinity at 0, 0 at infinity, NaN below 0.
struct rsqrt_lanes {
  template <int N, class V> PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& x) {
    using T = simd::detail::lane_t<V>;
    using U = math::bits_of<T>;
    using bits = lanes<U, N>;
    constexpr T inf = static_cast<T>(__builtin_inff()), none = static_cast<T>(__builtin_nanf(""));
    constexpr T least = math::from_bits<T>(U{1} << math::format<T>::digits);
    constexpr U sign = U{1} << (sizeof(T) * 8 - 1);
    constexpr T up = sizeof(T) == 4 ? T(0x1p24) : T(0x1p54);
    constexpr T root_of_up = sizeof(T) == 4 ? T(0x1p12) : T(0x1p27);
    V const zero{}, scaled = x < least ? V(x * up) : x;
    rsqrt_of_normal_lanes::apply<N>(y, scaled);
    y = x < least ? V(y * root_of_up) : y;
    y = x > 0 ? y : V(zero + none);
    y = x == inf ? zero : y;
    bits const of_zero = (__builtin_bit_cast(bits, x) & sign) | math::to_bits(inf);
    y = x == 0 ? __builtin_bit_cast(V, of_zero) : y;
  }
};
/// Blocks of positive normal numbers, and others.
template <class T> struct rsqrt_loop {
  T* to;
  T const* x;
  index_t n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr index_t length = 256;
    for (index_t i = 0; i < n; i += length) {
      index_t const m = n - i < length ? n - i : length;
      if (is_normal<Bytes>(x + i, m)) [[likely]]
        write<rsqrt_of_normal_lanes, Bytes>(i, m);
      else write<rsqrt_lanes, Bytes>(i, m);
    }
  }
  template <class F, int Bytes> PLACEMENT_ALWAYS_INLINE void write(index_t i, index_t m) const {
    using loop = register_loop<F, T, memory_operand<T>>;
    loop{to + i, m, {{memory_operand<T>{x + i}}}}.template run<Bytes>();
  }
  /// Whether m numbers are normal and above 0. not_finite: the sum of 0 for each finite number.
  template <int Bytes> PLACEMENT_ALWAYS_INLINE static bool is_normal(T const* x, index_t m) {
    constexpr int N = Bytes / static_cast<int>(sizeof(T));
    constexpr T least = math::from_bits<T>(math::bits_of<T>{1} << math::format<T>::digits);
    lanes<T, N> lowest{}, not_finite{};
    lowest = lowest + least;
    index_t i = 0;
    for (; m - i >= N; i += N) {
      lanes<T, N> a;
      std::memcpy(&a, x + i, sizeof a);
      lowest = a < lowest ? a : lowest;
      not_finite = not_finite + (a - a);
    }
    T some[2][static_cast<std::size_t>(N)];
    std::memcpy(some[0], &lowest, sizeof lowest);
    std::memcpy(some[1], &not_finite, sizeof not_finite);
    bool are = true;
    for (int j = 0; j != N; ++j) are = are && some[0][j] >= least && some[1][j] == 0;
    for (; i != m; ++i) are = are && x[i] >= least && x[i] - x[i] == 0;
    return are;
  }
};

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
