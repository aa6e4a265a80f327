#pragma once
/// Random words in registers of the level in use, as kernels/simd_philox.hpp has them in packs.
/// Included by src/cpu/random_loops.ipp.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/lane_numbers.hpp>
#include <placement/kernels/simd_register.hpp>
#include <placement/math/philox.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// 64-bit lanes in R registers of `Bytes`.
template <int Bytes, int R> using word_lanes = lane_numbers<std::uint64_t, Bytes / 8, R>;

/// The product of the lower halves of 64-bit lanes, by its name in g++, which knows it as
/// by_level.hpp has declared functions of these levels.
template <int N, int R>
PLACEMENT_ALWAYS_INLINE inline lane_numbers<std::uint64_t, N, R> lower_product(
    lane_numbers<std::uint64_t, N, R> const& a,
    lane_numbers<std::uint64_t, N, R> const& b) noexcept {
#if PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE
  auto const m = bit_cast<std::int32_t>(a), n = bit_cast<std::int32_t>(b);
  lane_numbers<std::uint64_t, N, R> y;
  each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE {
    if constexpr (N == 2) {
      auto const p = __builtin_ia32_pmuludq128(m.v[i], n.v[i]);
      std::memcpy(&y.v[i], &p, sizeof p);
    } else if constexpr (N == 4) {
      auto const p = __builtin_ia32_pmuludq256(m.v[i], n.v[i]);
      std::memcpy(&y.v[i], &p, sizeof p);
    } else {
      lanes<long long, 8> const none{};
      auto const p = __builtin_ia32_pmuludq512_mask(m.v[i], n.v[i], none, 0xff);
      std::memcpy(&y.v[i], &p, sizeof p);
    }
  });
  return y;
#else
  return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

/// The four words of some blocks: the lower halves of lanes, whose upper halves have any value.
template <class Words> struct random_lanes {
  Words w0, w1, w2, w3;
};
template <class Words>
PLACEMENT_ALWAYS_INLINE inline random_lanes<Words> random_blocks(random_stream const& from,
                                                                 Words const& counter) noexcept {
  Words c0 = counter, c1 = counter >> 32, c2(from.number), c3(from.number >> 32);
  auto low = static_cast<std::uint32_t>(from.seed),
       high = static_cast<std::uint32_t>(from.seed >> 32);
  auto const round = [&]() PLACEMENT_ALWAYS_INLINE {
    Words const p = lower_product(Words(0xD2511F53), c0), q = lower_product(Words(0xCD9E8D57), c2);
    c0 = (q >> 32) ^ c1 ^ Words(low);
    c1 = q;
    c2 = (p >> 32) ^ c3 ^ Words(high);
    c3 = p;
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  };
  for (int pair = 0; pair != 5; ++pair) {
    round();
    round();
  }
  return {c0, c1, c2, c3};
}
/// Lanes with the lower half of `low` and, above it, that of `high`.
template <class V> PLACEMENT_ALWAYS_INLINE inline V joined_lanes(V const& low, V const& high) {
  return (low & 0xffffffff) | (high << 32);
}

/// Lanes of registers of a and b in turn, from number First of each on.
template <int First, class V, int... I>
PLACEMENT_ALWAYS_INLINE inline V lanes_in_turn(V a, V const& b, std::integer_sequence<int, I...>) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  each<V::registers>([&](auto i) PLACEMENT_ALWAYS_INLINE {
    a.v[i] = PLACEMENT_SHUFFLE(a.v[i], b.v[i], (First + I / 2 + I % 2 * V::lanes_each)...);
  });
  return a;
}
/// Writes units of a and of b in turn. Unit: an unsigned integer of their size.
template <class Unit, class T, class V>
PLACEMENT_ALWAYS_INLINE inline void store_in_turn(T* to, V const& a, V const& b) {
  auto const m = bit_cast<Unit>(a), n = bit_cast<Unit>(b);
  constexpr int count = std::remove_const_t<decltype(m)>::lanes_each;
  constexpr std::make_integer_sequence<int, count> all{};
  auto const first = lanes_in_turn<0>(m, n, all), second = lanes_in_turn<count / 2>(m, n, all);
  each<V::registers>([&](auto i) PLACEMENT_ALWAYS_INLINE {
    T* const at = to + 2 * i * V::lanes_each;
    std::memcpy(at, &first.v[i], sizeof first.v[i]);
    std::memcpy(at + V::lanes_each, &second.v[i], sizeof second.v[i]);
  });
}
/// The even lanes of two registers after another.
template <class T, int N, int R, int... I>
PLACEMENT_ALWAYS_INLINE inline auto even_lanes(lane_numbers<T, N, R> const& x,
                                               std::integer_sequence<int, I...>) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  lane_numbers<T, N, R / 2> y;
  each<R / 2>([&](auto i) PLACEMENT_ALWAYS_INLINE {
    y.v[i] = PLACEMENT_SHUFFLE(x.v[2 * i], x.v[2 * i + 1], (2 * I)...);
  });
  return y;
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
