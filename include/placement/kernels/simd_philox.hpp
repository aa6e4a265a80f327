#pragma once
/// Random words for several elements at once: the same as math/philox.hpp gives for each.

#include <placement/kernels/simd.hpp>
#include <placement/math/philox.hpp>
#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace simd {

namespace detail {
/// The product of the lower halves of 64-bit lanes.
template <class V> PLACEMENT_ALWAYS_INLINE inline V multiply_lower(V a, V b) {
  constexpr bool is_x86 = PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE;
  if constexpr (is_x86 && sizeof(V) == 16)
    return bits_as<std::uint64_t>(__builtin_ia32_pmuludq128(bits_as<int>(a), bits_as<int>(b)));
  else if constexpr (is_x86 && sizeof(V) == 32)
    return bits_as<std::uint64_t>(__builtin_ia32_pmuludq256(bits_as<int>(a), bits_as<int>(b)));
  else if constexpr (is_x86 && sizeof(V) == 64)
    return bits_as<std::uint64_t>(__builtin_ia32_pmuludq512_mask(
        bits_as<int>(a), bits_as<int>(b), bits_as<long long>(a), static_cast<unsigned char>(-1)));
  else return (a & 0xffffffff) * (b & 0xffffffff);
}
}  // namespace detail

/// The same of packs.
template <int N, int... I>
PLACEMENT_ALWAYS_INLINE inline pack<std::uint64_t, N> lower_product(
    basic_pack<std::uint64_t, N, std::integer_sequence<int, I...>> const& a,
    pack<std::uint64_t, N> const& b) noexcept {
  pack<std::uint64_t, N> y;
  ((y.r[I] = detail::multiply_lower(a.r[I], b.r[I])), ...);
  return y;
}

/// The four words of the blocks with N counters. Words are the lower halves of 64-bit lanes, whose
/// upper halves have any value.
template <int N> struct random_words {
  pack<std::uint64_t, N> w0, w1, w2, w3;
};
template <int N, class R>
PLACEMENT_ALWAYS_INLINE inline random_words<N> random_blocks(
    random_stream const& from, basic_pack<std::uint64_t, N, R> const& counter) noexcept {
  using words = pack<std::uint64_t, N>;
  words c0 = counter, c1 = counter >> 32, c2(from.number), c3(from.number >> 32);
  auto low = static_cast<std::uint32_t>(from.seed),
       high = static_cast<std::uint32_t>(from.seed >> 32);
  for (int round = 0; round != 10; ++round) {
    words const p = lower_product(words(0xD2511F53), c0), q = lower_product(words(0xCD9E8D57), c2);
    c0 = (q >> 32) ^ c1 ^ words(low);
    c1 = q;
    c2 = (p >> 32) ^ c3 ^ words(high);
    c3 = p;
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return {c0, c1, c2, c3};
}

namespace detail {

/// Lanes with the lower half of `low` and, above it, that of `high`.
template <int N, class R>
PLACEMENT_ALWAYS_INLINE inline auto joined_words(
    basic_pack<std::uint64_t, N, R> const& low,
    basic_pack<std::uint64_t, N, R> const& high) noexcept {
  return (low & 0xffffffff) | (high << 32);
}
/// 64-bit lanes as words of `Bytes`: themselves, or both halves of each.
template <std::size_t Bytes, int N, int... I>
PLACEMENT_ALWAYS_INLINE inline auto as_words(
    basic_pack<std::uint64_t, N, std::integer_sequence<int, I...>> const& x) noexcept {
  if constexpr (Bytes == 8) {
    return x;
  } else {
    pack<std::uint32_t, 2 * N> y;
    ((y.r[I] = bits_as<std::uint32_t>(x.r[I])), ...);
    return y;
  }
}
/// Writes units of a and of b in turn. Unit: an unsigned integer of their size.
template <class Unit, class T, int N, int... I>
PLACEMENT_ALWAYS_INLINE inline void store_in_turn(
    T* to, basic_pack<T, N, std::integer_sequence<int, I...>> const& a,
    basic_pack<T, N, std::integer_sequence<int, I...>> const& b) noexcept {
  using R = reg<T, lanes_per_register<T, N>>;
  constexpr int units = static_cast<int>(sizeof(R) / sizeof(Unit));
  auto const write = [&](int i, R x, R y) PLACEMENT_ALWAYS_INLINE {
    auto const m = bits_as<Unit>(x), n = bits_as<Unit>(y);
    auto const first = zipped<0>(m, n, count_to<units>{}),
               second = zipped<units / 2>(m, n, count_to<units>{});
    auto* const at =
        reinterpret_cast<unsigned char*>(to) + 2 * static_cast<std::size_t>(i) * sizeof(R);
    std::memcpy(at, &first, sizeof first);
    std::memcpy(at + sizeof first, &second, sizeof second);
  };
  (write(I, a.r[I], b.r[I]), ...);
}

/// N elements from `first` on, of which 2^Shift come from one block: write(to, counters). Elements
/// that begin within a block are the end of one pack and the beginning of the next.
template <class T, int Shift, int N, class F>
PLACEMENT_ALWAYS_INLINE inline pack<T, N> elements_of_blocks(index_t first,
                                                             F const& write) noexcept {
  constexpr int counters = N >> Shift;
  index_t const skipped = first & ((1 << Shift) - 1);
  T some[2 * static_cast<std::size_t>(N)];
  index_t const end = (skipped + index_t{2} * N - 1) & -N;  // N where none is skipped, else 2 N
  for (index_t i = 0; i != end; i += N)
    write(some + i, bit_cast<std::uint64_t>(iota<counters>((first - skipped + i) >> Shift)));
  return load<N>(static_cast<T const*>(some) + skipped);
}

/// a in the lanes where `which` is 0, b where it is 1.
template <class V> PLACEMENT_ALWAYS_INLINE inline V either(V const& which, V const& a, V const& b) {
  V const mask = V{} - which;
  return (a & ~mask) | (b & mask);
}

}  // namespace detail

/// detail::below() of each block. IsWide: n may be 2^32 or more.
template <bool IsWide, int N>
PLACEMENT_ALWAYS_INLINE inline auto below(std::uint64_t n, random_words<N> const& blocks) noexcept {
  using words = pack<std::uint64_t, N>;
  return placement::detail::lanes_below<IsWide>(
      n, blocks,
      [](words const& a, words const& b) PLACEMENT_ALWAYS_INLINE { return lower_product(a, b); });
}

// ---- elements with a word of their own: 32 bits for a float, 64 for a double

/// random_stream::word of each element.
template <class T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline auto random_word(random_stream const& from,
                                                basic_pack<index_t, N, R> const& element) noexcept {
  auto const i = bit_cast<std::uint64_t>(element);
  if constexpr (sizeof(T) == 4) {
    auto const b = random_blocks(from, i >> 2);
    auto const is_odd = i & 1, is_late = (i >> 1) & 1;
    return convert<std::uint32_t>(detail::either(is_late, detail::either(is_odd, b.w0, b.w1),
                                                 detail::either(is_odd, b.w2, b.w3)));
  } else {
    auto const b = random_blocks(from, i >> 1);
    auto const is_odd = i & 1;
    return detail::joined_words(detail::either(is_odd, b.w1, b.w3),
                                detail::either(is_odd, b.w0, b.w2));
  }
}
/// value(words) of N elements from `first` on.
template <class T, int N, class F>
PLACEMENT_ALWAYS_INLINE inline pack<T, N> of_random_words(random_stream const& from, index_t first,
                                                          F const& value) noexcept {
  constexpr bool is_float = sizeof(T) == 4;
  auto const write = [&](T* to, auto const& counter) PLACEMENT_ALWAYS_INLINE {
    auto const b = random_blocks(from, counter);
    if constexpr (is_float)
      detail::store_in_turn<std::uint64_t>(
          to, value(detail::as_words<4>(detail::joined_words(b.w0, b.w1))),
          value(detail::as_words<4>(detail::joined_words(b.w2, b.w3))));
    else
      detail::store_in_turn<std::uint64_t>(to, value(detail::joined_words(b.w1, b.w0)),
                                           value(detail::joined_words(b.w3, b.w2)));
  };
  return detail::elements_of_blocks<T, is_float ? 2 : 1, N>(first, write);
}

// ---- elements in pairs, with two words for both

/// random_stream::pair of each element.
template <class T, int N, class R>
PLACEMENT_ALWAYS_INLINE inline auto random_words_of_pair(
    random_stream const& from, basic_pack<index_t, N, R> const& element) noexcept {
  auto const i = bit_cast<std::uint64_t>(element), is_odd = i & 1;
  if constexpr (sizeof(T) == 4) {
    auto const b = random_blocks(from, i >> 2);
    auto const is_late = (i >> 1) & 1;
    using words = pack<std::uint32_t, N>;
    return random_pair<words>{convert<std::uint32_t>(detail::either(is_late, b.w0, b.w2)),
                              convert<std::uint32_t>(detail::either(is_late, b.w1, b.w3)),
                              convert<std::uint32_t>(is_odd)};
  } else {
    auto const b = random_blocks(from, i >> 1);
    using words = pack<std::uint64_t, N>;
    return random_pair<words>{detail::joined_words(b.w1, b.w0), detail::joined_words(b.w3, b.w2),
                              is_odd};
  }
}
/// N elements from `first` on: values(first words, second words) has the first and the second
/// element of each pair.
template <class T, int N, class F>
PLACEMENT_ALWAYS_INLINE inline pack<T, N> of_random_pairs(random_stream const& from, index_t first,
                                                          F const& values) noexcept {
  constexpr bool is_float = sizeof(T) == 4;
  using unit = std::conditional_t<is_float, std::uint32_t, std::uint64_t>;
  auto const write = [&](T* to, auto const& counter) PLACEMENT_ALWAYS_INLINE {
    auto const b = random_blocks(from, counter);
    auto const low = is_float ? detail::joined_words(b.w0, b.w2) : detail::joined_words(b.w1, b.w0);
    auto const high =
        is_float ? detail::joined_words(b.w1, b.w3) : detail::joined_words(b.w3, b.w2);
    auto const y = values(detail::as_words<sizeof(T)>(low), detail::as_words<sizeof(T)>(high));
    detail::store_in_turn<unit>(to, y.first, y.second);
  };
  return detail::elements_of_blocks<T, is_float ? 2 : 1, N>(first, write);
}

}}}  // namespace placement::v0_1::simd
