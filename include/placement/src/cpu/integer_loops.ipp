#pragma once
/// Definitions of integer_loops.hpp: loops over vector registers of the level in use.

#include <placement/config.hpp>
#include <placement/cpu/integer_loops.hpp>
#include <placement/cpu/register_loop.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

// ---- bits

struct and_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    y = a & b;
  }
};
struct or_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    y = a | b;
  }
};
struct xor_lanes {
  template <int N, class V>
  PLACEMENT_ALWAYS_INLINE static void apply(V& y, V const& a, V const& b) {
    y = a ^ b;
  }
};

// ---- shifts by one number, which processors have as an instruction

template <class T, bool Left> struct shift_loop {
  T* to;
  T const* x;
  int bits;
  index_t n;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr int N = Bytes / int{sizeof(T)};
    shift_loop const s = *this;  // a copy, which stores to memory leave in registers
    index_t i = 0;
    for (; s.n - i >= N; i += N) {
      lanes<T, N> some;
      std::memcpy(&some, s.x + i, sizeof some);
      if constexpr (Left) some <<= s.bits;
      else some >>= s.bits;
      std::memcpy(s.to + i, &some, sizeof some);
    }
    using U = std::make_unsigned_t<T>;
    for (; i != s.n; ++i)
      s.to[i] = Left ? static_cast<T>(static_cast<U>(s.x[i]) << s.bits) : s.x[i] >> s.bits;
  }
};
template <class T> void shift_loops<T>::left(T* to, T const* x, int bits, index_t n) {
  run_by_width(shift_loop<T, true>{to, x, bits, n});
}
template <class T> void shift_loops<T>::right(T* to, T const* x, int bits, index_t n) {
  run_by_width(shift_loop<T, false>{to, x, bits, n});
}

// ---- indices

/// Without comparisons, which SSE2 does not have for int64. Sums wrap.
struct wrap_lanes {
  template <int N, class Index>
  PLACEMENT_ALWAYS_INLINE static void apply(lanes<std::int64_t, N>& y, Index const& x,
                                            lanes<std::int64_t, N> const& extent) {
    using signed_lanes = lanes<std::int64_t, N>;
    using unsigned_lanes = lanes<std::uint64_t, N>;
    signed_lanes const wide = __builtin_convertvector(x, signed_lanes);
    auto const from_start = __builtin_bit_cast(unsigned_lanes, wide);
    auto const from_end =
        __builtin_bit_cast(signed_lanes, from_start + __builtin_bit_cast(unsigned_lanes, extent));
    signed_lanes const added = (wide >> 63) & ~(from_end >> 63) & extent;
    y = __builtin_bit_cast(signed_lanes, from_start + __builtin_bit_cast(unsigned_lanes, added));
  }
};
/// The highest bit of `outside` is set where an index is negative or not below the extent.
template <class Index> struct below_loop {
  Index const* x;
  std::int64_t extent;
  index_t n;
  bool* are;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr int N = Bytes / 8;
    using unsigned_lanes = lanes<std::uint64_t, N>;
    auto const last = static_cast<std::uint64_t>(extent) - 1;
    unsigned_lanes outside[2] = {}, lasts = outside[0] + last;
    index_t i = 0;
    constexpr index_t together = index_t{2} * N;
    for (; n - i >= together; i += together)
      for (int k = 0; k != 2; ++k) {
        lanes<Index, N> some;
        std::memcpy(&some, x + i + k * N, sizeof some);
        auto const index = __builtin_bit_cast(
            unsigned_lanes, __builtin_convertvector(some, lanes<std::int64_t, N>));
        outside[k] |= index | (lasts - index);
      }
    outside[0] |= outside[1];
    std::uint64_t all[static_cast<std::size_t>(N)], seen = 0;
    std::memcpy(all, &outside[0], sizeof all);
    for (int k = 0; k != N; ++k) seen |= all[k];
    for (; i != n; ++i) {
      auto const index = static_cast<std::uint64_t>(std::int64_t{x[i]});
      seen |= index | (last - index);
    }
    *are = seen >> 63 == 0;
  }
};

PLACEMENT_INLINE void bit_loops::bytes_and(byte* to, byte const* x, byte const* y, index_t bytes) {
  run_registers<and_lanes>(to, bytes, x, y);
}
PLACEMENT_INLINE void bit_loops::bytes_or(byte* to, byte const* x, byte const* y, index_t bytes) {
  run_registers<or_lanes>(to, bytes, x, y);
}
PLACEMENT_INLINE void bit_loops::bytes_xor(byte* to, byte const* x, byte const* y, index_t bytes) {
  run_registers<xor_lanes>(to, bytes, x, y);
}
PLACEMENT_INLINE void bit_loops::bytes_xor(byte* to, byte const* x, byte y, index_t bytes) {
  run_registers<xor_lanes>(to, bytes, x, y);
}
template <class Index>
void index_loops<Index>::wrap(std::int64_t* to, Index const* x, std::int64_t extent, index_t n) {
  run_registers<wrap_lanes>(to, n, x, extent);
}
template <class Index>
bool index_loops<Index>::are_below(Index const* x, std::int64_t extent, index_t n) {
  bool are = true;
  run_by_width(below_loop<Index>{x, extent, n, &are});
  return are;
}

#if defined(PLACEMENT_EMIT_DEFINITIONS)
template struct shift_loops<std::int32_t>;
template struct shift_loops<std::uint32_t>;
template struct shift_loops<std::int64_t>;
template struct shift_loops<std::uint64_t>;
template struct index_loops<std::int32_t>;
template struct index_loops<std::int64_t>;
#endif

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
