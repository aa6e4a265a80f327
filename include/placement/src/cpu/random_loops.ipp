#pragma once
/// Definitions of random_loops.hpp: loops over vector registers of the level in use.

#include <placement/config.hpp>
#include <placement/cpu/by_level.hpp>
#include <placement/cpu/random_lanes.hpp>
#include <placement/cpu/random_loops.hpp>
#include <placement/cpu/sqrt_lanes.hpp>
#include <placement/math/random_values.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

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
  static constexpr int registers = 4, end_registers = 1;
  /// The numbers that have words of the type Words.
  template <class Words>
  using numbers =
      lane_numbers<T, Words::lanes_each * 8 / static_cast<int>(sizeof(T)), Words::registers>;

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
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from, Words const& counter) const {
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
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from, Words const& counter) const {
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
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from, Words const& counter) const {
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
  static constexpr int end_registers = 8 / int{sizeof(T)};  // they give one of results
  static constexpr int registers = end_registers < 4 ? 4 : end_registers;

  T low;
  std::uint64_t count;

  template <class Words>
  PLACEMENT_ALWAYS_INLINE void write(T* to, random_stream const& from, Words const& counter) const {
    auto const product = [](Words const& a, Words const& b)
                             PLACEMENT_ALWAYS_INLINE { return lower_product(a, b); };
    narrow_and_store(
        to, lanes_below<IsWide>(count, random_blocks(from, counter), product) + Words(low));
  }

 private:
  /// The lowest bits of lanes of type U.
  template <class U, int N, int R>
  PLACEMENT_ALWAYS_INLINE static void narrow_and_store(T* to, lane_numbers<U, N, R> const& x) {
    if constexpr (sizeof(U) == sizeof(T)) {
      each<R>([&](auto i)
                  PLACEMENT_ALWAYS_INLINE { std::memcpy(to + i * N, &x.v[i], sizeof x.v[i]); });
    } else {
      using half =
          std::conditional_t<sizeof(U) == 8, std::uint32_t,
                             std::conditional_t<sizeof(U) == 4, std::uint16_t, std::uint8_t>>;
      constexpr std::make_integer_sequence<int, 2 * N> all{};
      narrow_and_store(to, even_lanes(bit_cast<half>(x), all));
    }
  }
};

// ---- loops

/// 0, 1, 2 ... of registers of counters.
struct first_counters {
  alignas(64) std::uint64_t at[64]{};

  constexpr first_counters() {
    for (std::uint64_t i = 0; i != 64; ++i) at[i] = i;
  }
};
inline constexpr first_counters counters_from_0{};

/// The elements of distribution D: by several registers, at the ends by fewer of them. Of those the
/// wanted elements are copied.
template <class T, class D> struct random_loop {
  T* to;
  random_elements of;
  D distribution;

  template <int Bytes> PLACEMENT_ALWAYS_INLINE void run() const {
    using words = word_lanes<Bytes, D::registers>;
    using end_words = word_lanes<Bytes, D::end_registers>;
    constexpr index_t blocks = index_t{words::lanes_each} * words::registers;
    constexpr index_t length = blocks * D::per_block;
    constexpr index_t end_length = length / words::registers * end_words::registers;
    random_loop const s = *this;  // a copy, which stores to memory leave in registers
    index_t const n = s.of.n;
    index_t i = -(s.of.first % D::per_block);
    while (i < n) {
      if (i >= 0 && n - i >= length) {
        auto counter = s.template counters_at<words>(i);
        for (; n - i >= length; i += length, counter = counter + std::uint64_t{blocks})
          s.distribution.write(s.to + i, s.of.from, counter);
      } else {
        T some[static_cast<std::size_t>(end_length)];
        s.distribution.write(some, s.of.from, s.template counters_at<end_words>(i));
        index_t const begin = i < 0 ? -i : 0, end = n - i < end_length ? n - i : end_length;
        std::memcpy(s.to + i + begin, some + begin,
                    static_cast<std::size_t>(end - begin) * sizeof(T));
        i += end_length;
      }
    }
  }

 private:
  /// The numbers of the blocks from that of element i on.
  template <class Words> PLACEMENT_ALWAYS_INLINE Words counters_at(index_t i) const {
    Words counter;
    std::memcpy(counter.v, counters_from_0.at, sizeof counter.v);
    return counter + static_cast<std::uint64_t>((of.first + i) / D::per_block);
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
