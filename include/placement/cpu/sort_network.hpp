#pragma once
/// Sorts some keys in registers, by a network of comparisons: no branch depends on a key.

#include <placement/config.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/cpu/sort_keys.hpp>
#include <placement/kernels/simd_register.hpp>

#include <array>
#include <cstring>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Batcher's odd-even merge sort of N numbers: pairs to compare, one after another.
template <int N> struct comparator_list {
  struct pair {
    int low, high;
  };
  /// Calls f(low, high) for each pair.
  template <class F> static constexpr void visit(F f) {
    for (int p = 1; p < N; p *= 2)
      for (int k = p; k != 0; k /= 2)
        for (int j = k % p; j + k < N; j += 2 * k)
          for (int i = j; i < j + k && i + k < N; ++i)
            if (i / (2 * p) == (i + k) / (2 * p)) f(i, i + k);
  }
  static constexpr int count() {
    int n = 0;
    visit([&](int, int) { ++n; });
    return n;
  }
  static constexpr auto pairs() {
    std::array<pair, static_cast<std::size_t>(count())> all{};
    std::size_t n = 0;
    visit([&](int low, int high) { all[n++] = {low, high}; });
    return all;
  }
};

template <int N> inline constexpr auto comparators = comparator_list<N>::pairs();

/// A network over registers of `Bytes` bytes. While keys are sorted, key i * R + r is in lane i of
/// register r, of R registers. Source: Batcher, Sorting networks and their applications (1968).
template <class Key, int Bytes> struct sort_network {
  static constexpr int width = Bytes / static_cast<int>(sizeof(Key));
  using vector = lanes<Key, width>;
  using numbers = std::make_integer_sequence<int, width>;
  template <int R> using registers = lane_array<Key, width, R>;

  /// Sorts n keys, which is at most R * width. Key{~0} fills the other lanes.
  template <int R> PLACEMENT_ALWAYS_INLINE static void sort(Key* keys, index_t n) {
    constexpr auto most = static_cast<index_t>(R) * width;
    registers<R> x;
    if (n == most) {
      std::memcpy(x, keys, sizeof x);
      sort_registers<R>(x);
      std::memcpy(keys, x, sizeof x);
    } else {
      alignas(64) Key some[static_cast<std::size_t>(most)];
      each<R>([&](auto r) PLACEMENT_ALWAYS_INLINE {
        vector const last = vector{} + static_cast<Key>(~Key{0});
        std::memcpy(some + r * width, &last, sizeof last);
      });
      std::memcpy(some, keys, static_cast<std::size_t>(n) * sizeof(Key));
      std::memcpy(x, some, sizeof x);
      sort_registers<R>(x);
      std::memcpy(some, x, sizeof x);
      std::memcpy(keys, some, static_cast<std::size_t>(n) * sizeof(Key));
    }
  }

 private:
  template <int R> PLACEMENT_ALWAYS_INLINE static void sort_registers(registers<R>& x) {
    sort_lanes<R>(x);
    merge_lanes<2, R>(x);
    interleave<R, R>(x);
  }
  PLACEMENT_ALWAYS_INLINE static void compare(vector& a, vector& b) {
    vector const low = a < b ? a : b;
    b = a < b ? b : a;
    a = low;
  }
  /// Sorts each lane.
  template <int R> PLACEMENT_ALWAYS_INLINE static void sort_lanes(registers<R>& x) {
    each<comparator_list<R>::count()>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      constexpr auto pair = comparators<R>[static_cast<std::size_t>(i)];
      compare(x[pair.low], x[pair.high]);
    });
  }
  /// Merges groups of `Lanes` / 2 lanes, then larger ones.
  template <int Lanes, int R> PLACEMENT_ALWAYS_INLINE static void merge_lanes(registers<R>& x) {
    if constexpr (Lanes <= width) {
      if constexpr (R == 1) {
        compare_lanes<Lanes - 1, Lanes / 2>(x[0]);
      } else {
        each<R / 2>([&](auto r) PLACEMENT_ALWAYS_INLINE {
          vector &a = x[r], &b = x[R - 1 - r];
          vector low = a, high = b;
          exchange<Lanes - 1>(high, numbers{});
          compare(low, high);
          choose<Lanes / 2>(a, low, high, numbers{});
          choose<Lanes / 2>(b, high, low, numbers{});
          exchange<Lanes - 1>(b, numbers{});
        });
      }
      clean_lanes<Lanes / 4, R>(x);
      clean_registers<R / 2, R>(x);
      merge_lanes<Lanes * 2, R>(x);
    }
  }
  template <int Step, int R> PLACEMENT_ALWAYS_INLINE static void clean_lanes(registers<R>& x) {
    if constexpr (Step != 0) {
      each<R>([&](auto r) PLACEMENT_ALWAYS_INLINE { compare_lanes<Step, Step>(x[r]); });
      clean_lanes<Step / 2, R>(x);
    }
  }
  template <int Step, int R> PLACEMENT_ALWAYS_INLINE static void clean_registers(registers<R>& x) {
    if constexpr (Step != 0) {
      each<R>([&](auto r) PLACEMENT_ALWAYS_INLINE {
        if constexpr ((r & Step) == 0) compare(x[r], x[r + Step]);
      });
      clean_registers<Step / 2, R>(x);
    }
  }
  /// Compares lane i with lane i ^ Distance. Lanes with `Bit` keep the larger keys.
  template <int Distance, int Bit> PLACEMENT_ALWAYS_INLINE static void compare_lanes(vector& x) {
    vector low = x, high = x;
    exchange<Distance>(high, numbers{});
    compare(low, high);
    choose<Bit>(x, low, high, numbers{});
  }
  // By reference: the ABI of a vector depends on the processor, and warnings say so.
  template <int Distance, int... I>
  PLACEMENT_ALWAYS_INLINE static void exchange(vector& x, std::integer_sequence<int, I...>) {
    using simd::detail::shuffle_lanes;  // what PLACEMENT_SHUFFLE calls in files of nvcc
    x = PLACEMENT_SHUFFLE(x, x, (I ^ Distance)...);
  }
  template <int Bit, int... I>
  PLACEMENT_ALWAYS_INLINE static void choose(vector& x, vector const& low, vector const& high,
                                             std::integer_sequence<int, I...>) {
    using simd::detail::shuffle_lanes;
    x = PLACEMENT_SHUFFLE(low, high, ((I & Bit) != 0 ? width + I : I)...);
  }
  /// The order of memory. Lanes of two lists of registers alternate, until there is one list.
  template <int Lists, int R> PLACEMENT_ALWAYS_INLINE static void interleave(registers<R>& x) {
    if constexpr (Lists > 1) {
      registers<R> y;
      constexpr int length = R / Lists, half = Lists / 2;
      each<R / 2>([&](auto i) PLACEMENT_ALWAYS_INLINE {
        constexpr int list = i / length, at = i % length, to = list * 2 * length + 2 * at;
        vector const &a = x[list * length + at], &b = x[(list + half) * length + at];
        alternate<0>(y[to], a, b, numbers{});
        alternate<width / 2>(y[to + 1], a, b, numbers{});
      });
      each<R>([&](auto i) PLACEMENT_ALWAYS_INLINE { x[i] = y[i]; });
      interleave<half, R>(x);
    }
  }
  template <int First, int... I>
  PLACEMENT_ALWAYS_INLINE static void alternate(vector& x, vector const& a, vector const& b,
                                                std::integer_sequence<int, I...>) {
    using simd::detail::shuffle_lanes;
    x = PLACEMENT_SHUFFLE(a, b, (First + I / 2 + I % 2 * width)...);
  }
};

/// Sorts n keys, at most those of 16 registers, by the smallest network that has room for them.
template <int Bytes, class Key>
PLACEMENT_ALWAYS_INLINE inline void sort_in_registers(Key* keys, index_t n) {
  using network = sort_network<Key, Bytes>;
  if (n < 2) return;  // no keys may have no memory
  if (n <= index_t{network::width} * 2) network::template sort<2>(keys, n);
  else if (n <= index_t{network::width} * 4) network::template sort<4>(keys, n);
  else if (n <= index_t{network::width} * 8) network::template sort<8>(keys, n);
  else network::template sort<16>(keys, n);
}
template <class Key>
PLACEMENT_FOR_AVX2 [[gnu::noinline]] inline void sort_for_avx2(Key* keys, index_t n) {
  sort_in_registers<32>(keys, n);
}
template <class Key>
PLACEMENT_FOR_AVX512 [[gnu::noinline]] inline void sort_for_avx512(Key* keys, index_t n) {
  sort_in_registers<64>(keys, n);
}

/// A network of this machine's processor: it sorts `most` keys or less. 0: there is none, as in
/// files that nvcc compiles. nvcc 13.0 crashes on these networks.
template <class Key> struct network_function {
  void (*sort)(Key* keys, index_t n) = nullptr;
  index_t most = 0;
};
template <class Key> inline network_function<Key> network_of_processor() {
  constexpr auto registers = index_t{16}, bytes = static_cast<index_t>(sizeof(Key));
  if constexpr ((PLACEMENT_HAS_LEVELS || PLACEMENT_X86_LEVEL == 4) && !PLACEMENT_CUDA_TU) {
    if (cpu_level_in_use() == cpu_level::avx512)
      return {sort_for_avx512<Key>, registers * 64 / bytes};
    if (cpu_level_in_use() == cpu_level::avx2) return {sort_for_avx2<Key>, registers * 32 / bytes};
  }
  return {};
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
