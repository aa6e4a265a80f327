#pragma once
/// The loop of abs of complex<float> for processors with fused multiply-add. Included by
/// src/cpu/complex_loops.ipp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/kernels/simd_register.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Whether loops over registers of this size have sqrt_lanes and add_fused. g++ knows the names of
/// the instructions, as by_level.hpp has declared functions of their levels.
template <int Bytes>
inline constexpr bool has_fused_lanes = !PLACEMENT_CUDA_TU && PLACEMENT_HAS_PACKS &&
                                        PLACEMENT_HAS_LEVELS && Bytes > 16 &&
                                        (Bytes != PLACEMENT_VECTOR_BYTES || PLACEMENT_HAS_FUSED);

/// The square roots of floats.
template <class V> PLACEMENT_ALWAYS_INLINE inline void set_sqrt(V& y, V const& x) {
  if constexpr (PLACEMENT_VECTOR_ELEMENTWISE) y = __builtin_elementwise_sqrt(x);
  else if constexpr (sizeof(V) == 32) y = __builtin_ia32_sqrtps256(x);
  else y = __builtin_ia32_sqrtps512_mask(x, x, -1, 4);
}
/// y = a b + y of floats, rounded once.
template <class V> PLACEMENT_ALWAYS_INLINE inline void add_fused(V& y, V const& a, V const& b) {
  if constexpr (PLACEMENT_VECTOR_ELEMENTWISE) y = __builtin_elementwise_fma(a, b, y);
  else if constexpr (sizeof(V) == 32) y = __builtin_ia32_vfmaddps256(a, b, y);
  else y = __builtin_ia32_vfmaddps512_mask(a, b, y, -1, 4);
}

/// The magnitudes of n complex numbers, within 0.52 ulps; 0.77 of denormal results. Source: Dekker,
/// A floating-point technique for extending the available precision (1971), for the sum of squares
/// in two parts.
struct magnitude_loop {
  float* to;
  float const* x;
  index_t n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr int N = Bytes / 4;
    float* const out = to;  // copies, which stores to memory leave in registers
    float const* const in = x;
    index_t const end = n;
    index_t i = 0;
    for (; end - i >= N; i += N) write<N>(out + i, in + 2 * i);
    if (i == end) return;
    auto const left = static_cast<std::size_t>(end - i) * sizeof(float);
    float rest[static_cast<std::size_t>(2 * N)]{};
    std::memcpy(rest, in + 2 * i, 2 * left);
    write<N>(rest, rest);
    std::memcpy(out + i, rest, left);
  }
  template <int N> PLACEMENT_ALWAYS_INLINE static void write(float* to, float const* x) {
    lanes<float, N> a, b, y;
    std::memcpy(&a, x, sizeof a);
    std::memcpy(&b, x + N, sizeof b);
    set_magnitude<N>(y, a, b, std::make_integer_sequence<int, N>{});
    std::memcpy(to, &y, sizeof y);
  }
  /// a, then b: real and imaginary parts in turn.
  template <int N, class V, int... J>
  PLACEMENT_ALWAYS_INLINE static void set_magnitude(V& y, V const& a, V const& b,
                                                    std::integer_sequence<int, J...>) {
    using bits = lanes<std::int32_t, N>;
    using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
    constexpr std::int32_t without_sign = 0x7fffffff, infinity = 0x7f800000, unit = 1 << 23;
    constexpr std::int32_t magic = 0x5eb75a86;  // 1 / (2 sqrt(s)), to 3.4 %
    V const re = PLACEMENT_SHUFFLE(a, b, (2 * J)...), im = PLACEMENT_SHUFFLE(a, b, (2 * J + 1)...);
    bits const u = __builtin_bit_cast(bits, re) & without_sign;
    bits const v = __builtin_bit_cast(bits, im) & without_sign;
    bits const large = u > v ? u : v, small = u > v ? v : u;
    // The power of two of the larger part: h and l are scaled by its inverse.
    bits power = large & infinity;
    power = power < unit ? bits{} + unit : power;
    power = power > 253 * unit ? bits{} + 253 * unit : power;
    V const scale = __builtin_bit_cast(V, static_cast<bits>(254 * unit - power));
    V h = __builtin_bit_cast(V, large), l = __builtin_bit_cast(V, small);
    l = l < h * 0x1p-30f ? V{} : l;  // no denormal numbers, which are slow
    h = h * scale;
    l = l * scale;
    // s + low: h h + l l
    V const p = h * h, q = l * l, s = p + q;
    V of_p = -p, of_q = -q;
    add_fused(of_p, h, h);
    add_fused(of_q, l, l);
    V const low = (q - (s - p)) + (of_p + of_q);
    V root, rest = s;
    set_sqrt(root, s);
    add_fused(rest, V(-root), root);
    V const guess =
        __builtin_bit_cast(V, static_cast<bits>(magic - (__builtin_bit_cast(bits, s) >> 1)));
    y = (root + (rest + low) * guess) * __builtin_bit_cast(V, power);
    V const inf = __builtin_bit_cast(V, static_cast<bits>(bits{} + infinity));
    y = large == infinity ? inf : y;
    PLACEMENT_ROUNDED_WIDE(y);  // g++ makes code for single lanes of two choices together
    y = small == infinity ? inf : y;
  }
};

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
