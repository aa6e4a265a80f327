#pragma once
/// A register of the level in use as a number, for the formulas of math/. Packs have the registers
/// of the file in their types, so loops that are compiled for several levels cannot use them.

#include <placement/config.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/math/bits.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// N numbers of type T in one register: a float, a double, or an integer of their size. A class is
/// passed in memory on every level, so calls that are inlined have one ABI. Integers wrap.
template <class T, int N> struct lane_numbers {
  using element = T;
  static constexpr int count = N;
  static constexpr bool is_real = std::is_floating_point_v<T>;
  // A register whose alignment is that of the baseline.
  using register_type [[gnu::vector_size(static_cast<std::size_t>(N) * sizeof(T)),
                        gnu::aligned(16)]] = T;

  register_type v;

  lane_numbers() = default;
  /// The same number in each lane: from memory, as g++ 12 else writes the lanes one by one.
  PLACEMENT_ALWAYS_INLINE lane_numbers(T x) noexcept {
    T some[static_cast<std::size_t>(N)];
    for (int i = 0; i != N; ++i) some[i] = x;
    std::memcpy(&v, some, sizeof v);
  }

  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator+(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    a.v = a.v + b.v;
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator-(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    a.v = a.v - b.v;
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator*(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    a.v = a.v * b.v;
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator/(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    a.v = a.v / b.v;
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator&(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    a.v = a.v & b.v;
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator|(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    a.v = a.v | b.v;
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator^(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    a.v = a.v ^ b.v;
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator<<(lane_numbers a, int n) noexcept {
    a.v = a.v << static_cast<T>(n);
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator>>(lane_numbers a, int n) noexcept {
    a.v = a.v >> static_cast<T>(n);
    return a;
  }
};
template <class V> inline constexpr bool is_lane_numbers = false;
template <class T, int N> inline constexpr bool is_lane_numbers<lane_numbers<T, N>> = true;
template <class V> concept real_lanes = is_lane_numbers<V> && V::is_real;

/// The bits of a register as lanes of another type.
template <class To, class T, int N>
PLACEMENT_ALWAYS_INLINE inline auto bit_cast(lane_numbers<T, N> const& x) noexcept {
  lane_numbers<To, N * static_cast<int>(sizeof(T)) / static_cast<int>(sizeof(To))> y;
  std::memcpy(&y.v, &x.v, sizeof y.v);
  return y;
}

}}}  // namespace placement::v0_1::detail

namespace placement { inline namespace v0_1 { namespace math {
template <one_number T, int N> struct format<detail::lane_numbers<T, N>> : format<T> {
  using bits = detail::lane_numbers<bits_of<T>, N>;
};
}}}  // namespace placement::v0_1::math

// ---- in place of the functions of numbers in math/bits.hpp

namespace placement { inline namespace v0_1 { namespace detail {

/// Integers of 64 bits as doubles, rounded once: 2^84 and 2^52 in front of their halves make
/// numbers of them. Processors convert none until AVX-512.
template <class T, int N>
PLACEMENT_ALWAYS_INLINE inline lane_numbers<double, N> doubles_of(
    lane_numbers<T, N> const& x) noexcept {
  using words = lane_numbers<std::uint64_t, N>;
  constexpr double ahead = 0x1p84, behind = 0x1p52;
  auto const front = [](double d) PLACEMENT_ALWAYS_INLINE {
    return words(__builtin_bit_cast(std::uint64_t, d));
  };
  words const u = bit_cast<std::uint64_t>(x) ^ words(std::uint64_t{1} << 63);
  auto const high = bit_cast<double>((u >> 32) | front(ahead));
  auto const low = bit_cast<double>((u & words(0xffffffff)) | front(behind));
  return (high - lane_numbers<double, N>(ahead + 0x1p63 + behind)) + low;
}
/// static_cast<To> of lanes of the same size.
template <class To, class T, int N>
PLACEMENT_ALWAYS_INLINE inline lane_numbers<To, N> convert(lane_numbers<T, N> const& x) noexcept {
  static_assert(sizeof(To) == sizeof(T) && std::is_integral_v<T>);
  constexpr bool converts_long = PLACEMENT_X86_LEVEL == 0 || sizeof x.v == 64;
  if constexpr (std::is_integral_v<To>) {
    return bit_cast<To>(x);
  } else if constexpr (sizeof(T) == 8 && !converts_long) {
    return doubles_of(x);
  } else {
    lane_numbers<To, N> y;
    y.v = __builtin_convertvector(x.v, typename lane_numbers<To, N>::register_type);
    return y;
  }
}
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline V select(math::bits_of<V> const& mask, V const& a,
                                        V const& b) noexcept {
  using bits = math::bits_of<V>;
  bits const all(~typename bits::element{}), kept = math::to_bits(b) & (mask ^ all);
  return math::from_bits<V>((math::to_bits(a) & mask) | kept);
}
/// The lesser of x and max.
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline V no_more(V x, std::type_identity_t<V> const& max) noexcept {
  x.v = x.v > max.v ? max.v : x.v;
  return x;
}
/// x, at least -max and at most max; of numbers that are not NaN.
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline V limited(V x, std::type_identity_t<V> const& max) noexcept {
  V const least = V(0) - max;
  x.v = x.v < least.v ? least.v : x.v;
  return no_more(x, max);
}
/// A register of -0 that compilers do not know.
template <class V> PLACEMENT_ALWAYS_INLINE inline V unknown_zero() noexcept {
  auto zero = static_cast<typename V::element>(-0.);
  PLACEMENT_ROUNDED(zero);
  return V(zero);
}
/// a * b, rounded before it is used. clang has no registers of higher levels in such a function: it
/// adds -0, which changes no product, by a fused multiply-add.
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline V rounded_product(V a, V const& b) noexcept {
#if PLACEMENT_VECTOR_ELEMENTWISE
  if constexpr (sizeof a.v > PLACEMENT_VECTOR_BYTES) {
    a.v = __builtin_elementwise_fma(a.v, b.v, unknown_zero<V>().v);
  } else {
    a.v = a.v * b.v;
    PLACEMENT_ROUNDED(a.v);
  }
#else
  a.v = a.v * b.v;
  PLACEMENT_ROUNDED_WIDE(a.v);
#endif
  return a;
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
