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

/// N numbers of type T in each of R registers: floats, doubles, or integers of their size, which
/// wrap. Steps of several registers do not wait for each other. A class is passed in memory on
/// every level, so calls that are inlined have one ABI.
template <class T, int N, int R> struct lane_numbers {
  using element = T;
  static constexpr int lanes_each = N, registers = R;
  static constexpr bool is_real = std::is_floating_point_v<T>;
  // With the alignment of the baseline.
  using register_type
      [[gnu::vector_size(static_cast<std::size_t>(N) * sizeof(T)), gnu::aligned(16)]] = T;

  register_type v[static_cast<std::size_t>(R)];

  lane_numbers() = default;
  /// The same number in each lane: from memory, as g++ 12 else writes the lanes one by one.
  PLACEMENT_ALWAYS_INLINE lane_numbers(T x) noexcept {
    T some[static_cast<std::size_t>(N)];
    for (int j = 0; j != N; ++j) some[j] = x;
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { std::memcpy(&v[i], some, sizeof v[i]); });
  }

  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator+(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { a.v[i] = a.v[i] + b.v[i]; });
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator-(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { a.v[i] = a.v[i] - b.v[i]; });
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator*(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { a.v[i] = a.v[i] * b.v[i]; });
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator/(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { a.v[i] = a.v[i] / b.v[i]; });
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator&(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { a.v[i] = a.v[i] & b.v[i]; });
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator|(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { a.v[i] = a.v[i] | b.v[i]; });
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator^(lane_numbers a,
                                                        lane_numbers const& b) noexcept {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { a.v[i] = a.v[i] ^ b.v[i]; });
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator~(lane_numbers a) noexcept {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { a.v[i] = ~a.v[i]; });
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator<<(lane_numbers a, int n) noexcept {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { a.v[i] = a.v[i] << static_cast<T>(n); });
    return a;
  }
  PLACEMENT_ALWAYS_INLINE friend lane_numbers operator>>(lane_numbers a, int n) noexcept {
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { a.v[i] = a.v[i] >> static_cast<T>(n); });
    return a;
  }
};
template <class V> inline constexpr bool is_lane_numbers = false;
template <class T, int N, int R>
inline constexpr bool is_lane_numbers<lane_numbers<T, N, R>> = true;
template <class V> concept real_lanes = is_lane_numbers<V> && V::is_real;

/// The bits of registers as lanes of another type.
template <class To, class T, int N, int R>
PLACEMENT_ALWAYS_INLINE inline auto bit_cast(lane_numbers<T, N, R> const& x) noexcept {
  lane_numbers<To, N* static_cast<int>(sizeof(T)) / static_cast<int>(sizeof(To)), R> y;
  each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { std::memcpy(&y.v[i], &x.v[i], sizeof y.v[i]); });
  return y;
}

}}}  // namespace placement::v0_1::detail

namespace placement { inline namespace v0_1 { namespace math {
template <one_number T, int N, int R> struct format<detail::lane_numbers<T, N, R>> : format<T> {
  using bits = detail::lane_numbers<bits_of<T>, N, R>;
};
}}}  // namespace placement::v0_1::math

// ---- in place of the functions of numbers in math/bits.hpp

namespace placement { inline namespace v0_1 { namespace detail {

/// Integers of 64 bits as doubles, rounded once: 2^84 and 2^52 in front of their halves make
/// numbers of them. Processors convert none until AVX-512.
template <class T, int N, int R>
PLACEMENT_ALWAYS_INLINE inline lane_numbers<double, N, R> doubles_of(
    lane_numbers<T, N, R> const& x) noexcept {
  using words = lane_numbers<std::uint64_t, N, R>;
  constexpr double ahead = 0x1p84, behind = 0x1p52;
  auto const front = [](double d) PLACEMENT_ALWAYS_INLINE {
    return words(__builtin_bit_cast(std::uint64_t, d));
  };
  words const u = bit_cast<std::uint64_t>(x) ^ words(std::uint64_t{1} << 63);
  auto const high = bit_cast<double>((u >> 32) | front(ahead));
  auto const low = bit_cast<double>((u & words(0xffffffff)) | front(behind));
  return (high - lane_numbers<double, N, R>(ahead + 0x1p63 + behind)) + low;
}
/// static_cast<To> of lanes of the same size.
template <class To, class T, int N, int R>
PLACEMENT_ALWAYS_INLINE inline lane_numbers<To, N, R> convert(
    lane_numbers<T, N, R> const& x) noexcept {
  static_assert(sizeof(To) == sizeof(T) && std::is_integral_v<T>);
  using result = lane_numbers<To, N, R>;
  constexpr bool converts_long = PLACEMENT_X86_LEVEL == 0 || sizeof x.v[0] == 64;
  if constexpr (std::is_integral_v<To>) {
    return bit_cast<To>(x);
  } else if constexpr (sizeof(T) == 8 && !converts_long) {
    return doubles_of(x);
  } else {
    result y;
    each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      y.v[i] = __builtin_convertvector(x.v[i], typename result::register_type);
    });
    return y;
  }
}
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline V select(math::bits_of<V> const& mask, V const& a,
                                        V const& b) noexcept {
  return math::from_bits<V>((math::to_bits(a) & mask) | (math::to_bits(b) & ~mask));
}
/// The lesser of x and max.
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline V no_more(V x, std::type_identity_t<V> const& max) noexcept {
  each<V::registers>(
      [&](auto i) PLACEMENT_ALWAYS_INLINE { x.v[i] = x.v[i] > max.v[i] ? max.v[i] : x.v[i]; });
  return x;
}
/// x, at least -max and at most max; of numbers that are not NaN.
template <real_lanes V>
PLACEMENT_ALWAYS_INLINE inline V limited(V x, std::type_identity_t<V> const& max) noexcept {
  V const least = V(0) - max;
  each<V::registers>(
      [&](auto i) PLACEMENT_ALWAYS_INLINE { x.v[i] = x.v[i] < least.v[i] ? least.v[i] : x.v[i]; });
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
template <real_lanes V> PLACEMENT_ALWAYS_INLINE inline V rounded_product(V a, V const& b) noexcept {
#if PLACEMENT_VECTOR_ELEMENTWISE
  if constexpr (sizeof a.v[0] > PLACEMENT_VECTOR_BYTES) {
    V const zero = unknown_zero<V>();
    each<V::registers>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      a.v[i] = __builtin_elementwise_fma(a.v[i], b.v[i], zero.v[i]);
    });
  } else {
    each<V::registers>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      auto y = a.v[i] * b.v[i];
      PLACEMENT_ROUNDED(y);
      a.v[i] = y;
    });
  }
#else
  each<V::registers>([&](auto i) PLACEMENT_ALWAYS_INLINE {
    auto y = a.v[i] * b.v[i];
    PLACEMENT_ROUNDED_WIDE(y);
    a.v[i] = y;
  });
#endif
  return a;
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
