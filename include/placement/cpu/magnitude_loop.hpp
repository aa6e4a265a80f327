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

/// Whether loops over registers of this size have set_sqrt and add_fused. g++ knows the names of
/// the instructions by the flags of the file, or as by_level.hpp has declared functions of their
/// levels.
template <int Bytes>
inline constexpr bool has_fused_lanes = !PLACEMENT_CUDA_TU && PLACEMENT_HAS_PACKS &&
                                        (PLACEMENT_HAS_LEVELS || PLACEMENT_X86_LEVEL == 4) &&
                                        Bytes > 16 &&
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

/// Registers of N floats, for the magnitudes of N complex numbers.
template <int N> struct magnitudes {
  using V = lanes<float, N>;
  using bits = lanes<std::int32_t, N>;
  static constexpr std::int32_t without_sign = 0x7fffffff, infinity = 0x7f800000, unit = 1 << 23;

  /// The larger and the smaller part of each number, without signs.
  struct parts {
    bits large, small;
  };
  PLACEMENT_ALWAYS_INLINE static void load(parts& to, float const* x) {
    V a, b;
    std::memcpy(&a, x, sizeof a);
    std::memcpy(&b, x + N, sizeof b);
    set_parts(to, a, b, std::make_integer_sequence<int, N>{});
  }

  /// Numbers whose larger part is zero, or such that no square over- or underflows.
  PLACEMENT_ALWAYS_INLINE static void set_near(V& y, parts const& x) {
    set_length(y, __builtin_bit_cast(V, x.large), __builtin_bit_cast(V, x.small));
  }
  /// Sets the signs of lanes with other numbers.
  PLACEMENT_ALWAYS_INLINE static void add_far(bits& far, parts const& x) {
    constexpr std::int32_t least = (127 - 45) * unit, max = (127 + 62) * unit;
    far |= ((x.large - least) & -x.large) | (max - x.large);
  }
  /// Any numbers; the near ones have the bits of set_near.
  PLACEMENT_ALWAYS_INLINE static void set_any(V& y, parts const& x) {
    V scaled;
    bits far{};
    set_near(y, x);
    set_scaled(scaled, x);
    add_far(far, x);
    y = far < 0 ? scaled : y;
    PLACEMENT_ROUNDED_WIDE(y);  // g++ makes code for single lanes of two choices together
    y = x.small == infinity ? __builtin_bit_cast(V, x.small) : y;
  }

 private:
  /// a, then b: real and imaginary parts in turn.
  template <int... J>
  PLACEMENT_ALWAYS_INLINE static void set_parts(parts& to, V const& a, V const& b,
                                                std::integer_sequence<int, J...>) {
    using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
    V const re = PLACEMENT_SHUFFLE(a, b, (2 * J)...), im = PLACEMENT_SHUFFLE(a, b, (2 * J + 1)...);
    bits const u = __builtin_bit_cast(bits, re) & without_sign;
    bits const v = __builtin_bit_cast(bits, im) & without_sign;
    to.large = u > v ? u : v;
    to.small = u > v ? v : u;
  }
  /// Parts scaled by a power of two of the larger one.
  PLACEMENT_ALWAYS_INLINE static void set_scaled(V& y, parts const& x) {
    bits power = x.large & infinity;
    power = power < unit ? bits{} + unit : power;
    power = power > 253 * unit ? bits{} + 253 * unit : power;
    V const scale = __builtin_bit_cast(V, static_cast<bits>(254 * unit - power));
    V const h = __builtin_bit_cast(V, x.large) * scale, l = __builtin_bit_cast(V, x.small) * scale;
    set_length(y, h, l);
    y = y * __builtin_bit_cast(V, power);
    y = x.large == infinity ? __builtin_bit_cast(V, x.large) : y;
    PLACEMENT_ROUNDED_WIDE(y);
  }
  /// sqrt(h h + l l) for 0 <= l <= h.
  PLACEMENT_ALWAYS_INLINE static void set_length(V& y, V const& h, V const& smaller) {
    constexpr std::int32_t magic = 0x5eb75a86;           // 1 / (2 sqrt(s)), to 3.4 %
    V const l = smaller < h * 0x1p-30f ? V{} : smaller;  // no denormal numbers, which are slow
    V const p = h * h, q = l * l, s = p + q;             // s + low: h h + l l
    V of_p = -p, of_q = -q;
    add_fused(of_p, h, h);
    add_fused(of_q, l, l);
    V const low = (q - (s - p)) + (of_p + of_q);
    V root, rest = s;
    set_sqrt(root, s);
    add_fused(rest, V(-root), root);
    V const guess =
        __builtin_bit_cast(V, static_cast<bits>(magic - (__builtin_bit_cast(bits, s) >> 1)));
    y = root + (rest + low) * guess;
  }
};

/// The magnitudes of n complex numbers, within 0.52 ulps; 0.77 of denormal results. Source: Dekker,
/// A floating-point technique for extending the available precision (1971), for the sum of squares
/// in two parts.
struct magnitude_loop {
  float* to;
  float const* x;
  index_t n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr int N = Bytes / 4;
    constexpr index_t together = 4;  // registers that are tested together
    float* const out = to;           // copies, which stores to memory leave in registers
    float const* const in = x;
    index_t const end = n;
    index_t i = 0;
    for (; end - i >= together * N; i += together * N)
      if (write_near<N, together>(out + i, in + 2 * i)) [[unlikely]]
        for (index_t k = 0; k != together; ++k) write<N>(out + i + k * N, in + 2 * (i + k * N));
    for (; end - i >= N; i += N) write<N>(out + i, in + 2 * i);
    if (i == end) return;
    auto const left = static_cast<std::size_t>(end - i) * sizeof(float);
    float rest[static_cast<std::size_t>(2 * N)]{};
    std::memcpy(rest, in + 2 * i, 2 * left);
    write<N>(rest, rest);
    std::memcpy(out + i, rest, left);
  }

 private:
  /// Writes some registers of near numbers. Returns whether others are among them.
  template <int N, int Registers>
  PLACEMENT_ALWAYS_INLINE static bool write_near(float* to, float const* x) {
    using some = magnitudes<N>;
    typename some::bits far{};
    each<Registers>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      typename some::parts parts;
      typename some::V y;
      some::load(parts, x + 2 * r * N);
      some::set_near(y, parts);
      some::add_far(far, parts);
      std::memcpy(to + r * N, &y, sizeof y);
    });
    std::uint64_t word[sizeof far / 8], any = 0;
    std::memcpy(word, &far, sizeof far);
    for (std::uint64_t const one : word) any |= one;
    return (any & 0x8000000080000000) != 0;
  }
  template <int N> PLACEMENT_ALWAYS_INLINE static void write(float* to, float const* x) {
    using some = magnitudes<N>;
    typename some::parts parts;
    typename some::V y;
    some::load(parts, x);
    some::set_any(y, parts);
    std::memcpy(to, &y, sizeof y);
  }
};

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
