#pragma once
/// Definitions of random_loops.hpp: loops over vector registers of the level in use.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/lane_numbers.hpp>
#include <placement/cpu/random_loops.hpp>
#include <placement/cpu/sqrt_lanes.hpp>
#include <placement/kernels/simd_register.hpp>
#include <placement/math/random_values.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

// ---- random words, as in kernels/simd_philox.hpp

/// 64-bit lanes in a register of `Bytes`.
template <int Bytes> using word_lanes = lane_numbers<std::uint64_t, Bytes / 8>;

/// The product of the lower halves of 64-bit lanes.
template <int N>
PLACEMENT_ALWAYS_INLINE inline lane_numbers<std::uint64_t, N> lower_product(
    lane_numbers<std::uint64_t, N> const& a, lane_numbers<std::uint64_t, N> const& b) noexcept {
  lane_numbers<std::uint64_t, N> y;
#if PLACEMENT_VECTOR_X86 && !PLACEMENT_VECTOR_ELEMENTWISE
  // By its name in g++, which knows it as by_level.hpp has declared functions of these levels.
  using ints = typename lane_numbers<std::int32_t, 2 * N>::register_type;
  ints const m = __builtin_bit_cast(ints, a.v), n = __builtin_bit_cast(ints, b.v);
  if constexpr (sizeof y.v == 16) {
    auto const p = __builtin_ia32_pmuludq128(m, n);
    std::memcpy(&y.v, &p, sizeof y.v);
  } else if constexpr (sizeof y.v == 32) {
    auto const p = __builtin_ia32_pmuludq256(m, n);
    std::memcpy(&y.v, &p, sizeof y.v);
  } else {
    lanes<long long, 8> const none{};
    auto const p = __builtin_ia32_pmuludq512_mask(m, n, none, static_cast<unsigned char>(-1));
    std::memcpy(&y.v, &p, sizeof y.v);
  }
#else
  y = (a & 0xffffffff) * (b & 0xffffffff);
#endif
  return y;
}

/// The four words of some blocks: the lower halves of lanes, whose upper halves have any value.
template <int Bytes> struct random_lanes {
  word_lanes<Bytes> w0, w1, w2, w3;
};
template <int Bytes>
PLACEMENT_ALWAYS_INLINE inline random_lanes<Bytes> random_blocks(
    random_stream const& from, word_lanes<Bytes> const& counter) noexcept {
  using words = word_lanes<Bytes>;
  words c0 = counter, c1 = counter >> 32, c2(from.number), c3(from.number >> 32);
  auto low = static_cast<std::uint32_t>(from.seed),
       high = static_cast<std::uint32_t>(from.seed >> 32);
  each<10>([&](auto) PLACEMENT_ALWAYS_INLINE {
    words const p = lower_product(words(0xD2511F53), c0), q = lower_product(words(0xCD9E8D57), c2);
    c0 = (q >> 32) ^ c1 ^ words(low);
    c1 = q;
    c2 = (p >> 32) ^ c3 ^ words(high);
    c3 = p;
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  });
  return {c0, c1, c2, c3};
}
/// Lanes with the lower half of `low` and, above it, that of `high`.
template <class V> PLACEMENT_ALWAYS_INLINE inline V joined_lanes(V const& low, V const& high) {
  return (low & 0xffffffff) | (high << 32);
}

/// Lanes of a and b in turn, from number First of each on.
template <int First, class T, int N, int... I>
PLACEMENT_ALWAYS_INLINE inline void zip(lane_numbers<T, N>& y, lane_numbers<T, N> const& a,
                                        lane_numbers<T, N> const& b,
                                        std::integer_sequence<int, I...>) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  y.v = PLACEMENT_SHUFFLE(a.v, b.v, (First + I / 2 + I % 2 * N)...);
}
/// Writes units of a and of b in turn. Unit: an unsigned integer of their size.
template <class Unit, class V>
PLACEMENT_ALWAYS_INLINE inline void store_in_turn(void* to, V const& a, V const& b) {
  auto const m = bit_cast<Unit>(a), n = bit_cast<Unit>(b);
  using units = std::remove_const_t<decltype(m)>;
  constexpr std::make_integer_sequence<int, units::count> all{};
  units first, second;
  zip<0>(first, m, n, all);
  zip<units::count / 2>(second, m, n, all);
  std::memcpy(to, &first.v, sizeof first.v);
  std::memcpy(static_cast<unsigned char*>(to) + sizeof first.v, &second.v, sizeof second.v);
}
/// Even lanes of a, then of b.
template <class T, int N, int... I>
PLACEMENT_ALWAYS_INLINE inline void take_even(lane_numbers<T, N>& y, lane_numbers<T, N> const& a,
                                              lane_numbers<T, N> const& b,
                                              std::integer_sequence<int, I...>) {
  using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
  y.v = PLACEMENT_SHUFFLE(a.v, b.v, (2 * I)...);
}

/// In each lane, as sqrt of a number.
template <real_lanes V> PLACEMENT_ALWAYS_INLINE inline V sqrt(V x) noexcept {
  lanes<typename V::element, V::count> y = x.v;
  sqrt_lanes::apply<V::count>(y, y);
  x.v = y;
  return x;
}

// ---- distributions: `write` gives the elements of a register of blocks

/// Floating point, of which a block has several elements: 32 bits for a float, 64 for a double.
template <class T> struct real_lanes_of {
  static constexpr index_t per_block = 16 / index_t{sizeof(T)};
  template <int Bytes> static constexpr index_t length = Bytes / 8 * per_block;
  template <int Bytes> using number = lane_numbers<T, Bytes / static_cast<int>(sizeof(T))>;

  /// value(words) of elements with a word of their own.
  template <int Bytes, class Of>
  PLACEMENT_ALWAYS_INLINE static void write_words(T* to, random_lanes<Bytes> const& b,
                                                  Of const& of) {
    using V = number<Bytes>;
    using U = math::bits_of<T>;
    constexpr bool is_float = sizeof(T) == 4;
    auto const early = is_float ? joined_lanes(b.w0, b.w1) : joined_lanes(b.w1, b.w0);
    auto const late = is_float ? joined_lanes(b.w2, b.w3) : joined_lanes(b.w3, b.w2);
    store_in_turn<std::uint64_t>(to, of.template value<V>(bit_cast<U>(early)),
                                 of.template value<V>(bit_cast<U>(late)));
  }
};

template <class T> struct uniform_lanes : real_lanes_of<T> {
  T low, width, max;

  uniform_lanes(T l, T w, T m) : low(l), width(w), max(m) {}
  template <int Bytes>
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from,
                                     word_lanes<Bytes> const& counter) const {
    this->write_words(to, random_blocks<Bytes>(from, counter), *this);
  }
  template <class V> PLACEMENT_ALWAYS_INLINE V value(math::bits_of<V> const& word) const {
    V const x = (math::unfused<V>(V(width)) * math::unit_value<V>(word) + V(low)).value;
    return no_more(x, V(max));
  }
};

template <class T> struct scaled_lanes : real_lanes_of<T> {
  T mean, stddev;

  scaled_lanes(T m, T s) : mean(m), stddev(s) {}
  template <class V> PLACEMENT_ALWAYS_INLINE V scaled(V const& z) const {
    using U = math::unfused<V>;
    return (U(V(stddev)) * U(z) + U(V(mean))).value;
  }
};
template <class T> struct truncated_normal_lanes : scaled_lanes<T> {
  using scaled_lanes<T>::scaled_lanes;

  template <int Bytes>
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from,
                                     word_lanes<Bytes> const& counter) const {
    this->write_words(to, random_blocks<Bytes>(from, counter), *this);
  }
  template <class V> PLACEMENT_ALWAYS_INLINE V value(math::bits_of<V> const& word) const {
    return this->scaled(math::truncated_normal_value<V>(word));
  }
};
/// Elements in pairs, with two words for both.
template <class T> struct normal_lanes : scaled_lanes<T> {
  using scaled_lanes<T>::scaled_lanes;

  template <int Bytes>
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from,
                                     word_lanes<Bytes> const& counter) const {
    using V = typename real_lanes_of<T>::template number<Bytes>;
    using U = math::bits_of<T>;
    constexpr bool is_float = sizeof(T) == 4;
    auto const b = random_blocks<Bytes>(from, counter);
    auto const low = is_float ? joined_lanes(b.w0, b.w2) : joined_lanes(b.w1, b.w0);
    auto const high = is_float ? joined_lanes(b.w1, b.w3) : joined_lanes(b.w3, b.w2);
    V const radius = math::normal_radius<V>(bit_cast<U>(low));
    auto const turn = math::sine_and_cosine_of_turn<V>(bit_cast<U>(high));
    store_in_turn<U>(to, this->scaled(V(radius * turn.cosine)),
                     this->scaled(V(radius * turn.sine)));
  }
};

/// The unsigned integer of twice the size.
template <class U>
using twice_as_wide =
    std::conditional_t<sizeof(U) == 1, std::uint16_t,
                       std::conditional_t<sizeof(U) == 2, std::uint32_t, std::uint64_t>>;

/// Integers, with a block for each. IsWide: `count` may be 2^32 or more.
template <class T, bool IsWide> struct integer_lanes {
  static constexpr index_t per_block = 1;
  template <int Bytes> static constexpr index_t length = Bytes / index_t{sizeof(T)};

  T low;
  std::uint64_t count;

  template <int Bytes>
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from,
                                     word_lanes<Bytes> const& counter) const {
    auto const y = value<T, Bytes>(from, counter);
    std::memcpy(to, &y.v, sizeof y.v);
  }
  /// In lanes of type U, of which some are those of wider lanes.
  template <class U, int Bytes>
  PLACEMENT_ALWAYS_INLINE auto value(random_stream const& from,
                                     word_lanes<Bytes> const& counter) const {
    using words = word_lanes<Bytes>;
    constexpr int lanes = Bytes / static_cast<int>(sizeof(U));
    lane_numbers<U, lanes> y;
    if constexpr (sizeof(U) == 8) {
      auto const product = [](words const& a, words const& b)
                               PLACEMENT_ALWAYS_INLINE { return lower_product(a, b); };
      y = lanes_below<IsWide>(count, random_blocks<Bytes>(from, counter), product) + words(low);
    } else {
      using wide = twice_as_wide<U>;
      auto const some = bit_cast<U>(value<wide, Bytes>(from, counter));
      auto const more =
          bit_cast<U>(value<wide, Bytes>(from, counter + words(std::uint64_t{lanes / 2})));
      take_even(y, some, more, std::make_integer_sequence<int, lanes>{});
    }
    return y;
  }
};

// ---- loops

/// 0, 1, 2 ... of a register of counters.
struct first_counters {
  alignas(64) std::uint64_t at[8] = {0, 1, 2, 3, 4, 5, 6, 7};
};
inline constexpr first_counters counters_from_0{};

/// The elements of distribution D. Those of a register that is not whole are copied.
template <class T, class D> struct random_loop {
  T* to;
  random_elements of;
  D distribution;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    constexpr index_t length = D::template length<Bytes>, per_block = D::per_block;
    random_loop const s = *this;  // a copy, which stores to memory leave in registers
    index_t const skipped = s.of.first % per_block, n = s.of.n;
    word_lanes<Bytes> counter;
    std::memcpy(&counter.v, counters_from_0.at, sizeof counter.v);
    counter = counter + static_cast<std::uint64_t>(s.of.first / per_block);
    T some[static_cast<std::size_t>(length)];
    for (index_t i = -skipped; i < n; i += length) {
      bool const is_whole = i >= 0 && n - i >= length;
      s.distribution.template write<Bytes>(is_whole ? s.to + i : some, s.of.from, counter);
      counter = counter + static_cast<std::uint64_t>(length / per_block);
      if (!is_whole) {
        index_t const begin = i < 0 ? -i : 0, end = n - i < length ? n - i : length;
        std::memcpy(s.to + i + begin, some + begin,
                    static_cast<std::size_t>(end - begin) * sizeof(T));
      }
    }
  }
};
template <class T, class D> void run_random(T* to, random_elements const& of, D const& d) {
  run_by_width(random_loop<T, D>{to, of, d});
}

template <class T>
void random_loops<T>::uniform(T* to, random_elements const& of, T low, T width, T max) {
  run_random(to, of, uniform_lanes<T>{low, width, max});
}
template <class T>
void random_loops<T>::normal(T* to, random_elements const& of, T mean, T stddev) {
  run_random(to, of, normal_lanes<T>{mean, stddev});
}
template <class T>
void random_loops<T>::truncated_normal(T* to, random_elements const& of, T mean, T stddev) {
  run_random(to, of, truncated_normal_lanes<T>{mean, stddev});
}
template <class T>
void random_integer_loops<T>::uniform(T* to, random_elements const& of, T low,
                                      std::uint64_t count) {
  if constexpr (sizeof(T) == 8)
    if (count >> 32 != 0) return run_random(to, of, integer_lanes<T, true>{low, count});
  run_random(to, of, integer_lanes<T, false>{low, count});
}

#if defined(PLACEMENT_EMIT_DEFINITIONS)
template struct random_loops<float>;
template struct random_loops<double>;
template struct random_integer_loops<std::uint8_t>;
template struct random_integer_loops<std::uint16_t>;
template struct random_integer_loops<std::uint32_t>;
template struct random_integer_loops<std::uint64_t>;
#endif

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
