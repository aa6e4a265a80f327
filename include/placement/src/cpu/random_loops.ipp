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
  each<10>([&](auto) PLACEMENT_ALWAYS_INLINE {
    Words const p = lower_product(Words(0xD2511F53), c0), q = lower_product(Words(0xCD9E8D57), c2);
    c0 = (q >> 32) ^ c1 ^ Words(low);
    c1 = q;
    c2 = (p >> 32) ^ c3 ^ Words(high);
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

/// Lanes of registers of a and b in turn, from number First of each on.
template <int First, class V, int... I>
PLACEMENT_ALWAYS_INLINE inline V zip(V a, V const& b, std::integer_sequence<int, I...>) {
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
  auto const first = zip<0>(m, n, all), second = zip<count / 2>(m, n, all);
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

/// In each lane, as sqrt of a number.
template <real_lanes V> PLACEMENT_ALWAYS_INLINE inline V sqrt(V x) noexcept {
  each<V::registers>([&](auto i) PLACEMENT_ALWAYS_INLINE {
    lanes<typename V::element, V::lanes_each> y = x.v[i];
    sqrt_lanes::apply<V::lanes_each>(y, y);
    x.v[i] = y;
  });
  return x;
}

// ---- distributions: `write` gives the elements of the blocks with some counters

/// Floating point, of which a block has several elements: 32 bits for a float, 64 for a double.
template <class T> struct real_lanes_of {
  static constexpr index_t per_block = 16 / index_t{sizeof(T)};
  static constexpr int registers = 2;
  /// The numbers that have words of the type Words.
  template <class Words>
  using numbers = lane_numbers<T, Words::lanes_each * 8 / static_cast<int>(sizeof(T)), registers>;

  /// value(words) of elements with a word of their own.
  template <class Words, class Of>
  PLACEMENT_ALWAYS_INLINE static void write_words(T* to, random_lanes<Words> const& b,
                                                  Of const& of) {
    using V = numbers<Words>;
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
  template <class Words>
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from,
                                     Words const& counter) const {
    this->write_words(to, random_blocks(from, counter), *this);
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

  template <class Words>
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from,
                                     Words const& counter) const {
    this->write_words(to, random_blocks(from, counter), *this);
  }
  template <class V> PLACEMENT_ALWAYS_INLINE V value(math::bits_of<V> const& word) const {
    return this->scaled(math::truncated_normal_value<V>(word));
  }
};
/// Elements in pairs, with two words for both.
template <class T> struct normal_lanes : scaled_lanes<T> {
  using scaled_lanes<T>::scaled_lanes;

  template <class Words>
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from,
                                     Words const& counter) const {
    using V = typename real_lanes_of<T>::template numbers<Words>;
    using U = math::bits_of<T>;
    constexpr bool is_float = sizeof(T) == 4;
    auto const b = random_blocks(from, counter);
    auto const low = is_float ? joined_lanes(b.w0, b.w2) : joined_lanes(b.w1, b.w0);
    auto const high = is_float ? joined_lanes(b.w1, b.w3) : joined_lanes(b.w3, b.w2);
    V const radius = math::normal_radius<V>(bit_cast<U>(low));
    auto const turn = math::sine_and_cosine_of_turn<V>(bit_cast<U>(high));
    store_in_turn<U>(to, this->scaled(V(radius * turn.cosine)),
                     this->scaled(V(radius * turn.sine)));
  }
};

/// Integers, with a block for each. IsWide: `count` may be 2^32 or more.
template <class T, bool IsWide> struct integer_lanes {
  static constexpr index_t per_block = 1;
  static constexpr int registers = 8 / int{sizeof(T)};

  T low;
  std::uint64_t count;

  template <class Words>
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from,
                                     Words const& counter) const {
    auto const product = [](Words const& a, Words const& b)
                             PLACEMENT_ALWAYS_INLINE { return lower_product(a, b); };
    narrow_and_store(
        to, lanes_below<IsWide>(count, random_blocks(from, counter), product) + Words(low));
  }

 private:
  /// The lowest bits of lanes of type U, which fill one register.
  template <class U, int N, int R>
  PLACEMENT_ALWAYS_INLINE static void narrow_and_store(T* to, lane_numbers<U, N, R> const& x) {
    if constexpr (R == 1) {
      std::memcpy(to, &x.v[0], sizeof x.v[0]);
    } else {
      using half = std::conditional_t<sizeof(U) == 8, std::uint32_t,
                                      std::conditional_t<sizeof(U) == 4, std::uint16_t, std::uint8_t>>;
      constexpr std::make_integer_sequence<int, 2 * N> all{};
      narrow_and_store(to, even_lanes(bit_cast<half>(x), all));
    }
  }
};

// ---- loops

/// 0, 1, 2 ... of registers of counters.
struct first_counters {
  alignas(64) std::uint64_t at[64];

  constexpr first_counters() : at{} {
    for (std::uint64_t i = 0; i != 64; ++i) at[i] = i;
  }
};
inline constexpr first_counters counters_from_0{};

/// The elements of distribution D. Where not all of some registers are wanted they are copied.
template <class T, class D> struct random_loop {
  T* to;
  random_elements of;
  D distribution;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    using words = word_lanes<Bytes, D::registers>;
    constexpr index_t blocks = words::lanes_each * D::registers, per_block = D::per_block,
                      length = blocks * per_block;
    random_loop const s = *this;  // a copy, which stores to memory leave in registers
    index_t const skipped = s.of.first % per_block, n = s.of.n;
    words counter;
    std::memcpy(counter.v, counters_from_0.at, sizeof counter.v);
    counter = counter + static_cast<std::uint64_t>(s.of.first / per_block);
    T some[static_cast<std::size_t>(length)];
    for (index_t i = -skipped; i < n; i += length) {
      bool const is_whole = i >= 0 && n - i >= length;
      s.distribution.write(is_whole ? s.to + i : some, s.of.from, counter);
      counter = counter + std::uint64_t{blocks};
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
