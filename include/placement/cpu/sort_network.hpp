#pragma once
/// Sorts some keys in registers, by a network of comparisons: no branch depends on a key.

#include <placement/config.hpp>
#include <placement/cpu/key_form.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/kernels/simd_register.hpp>

#include <array>
#include <bit>
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

  /// Sorts n keys, which are at least `width` and at most R * width, and writes their numbers.
  template <int R>
  PLACEMENT_ALWAYS_INLINE static void sort(Key const* keys, Key* to, index_t n,
                                           key_form<Key> const& form) {
    constexpr int lists = lists_of<R>;
    registers<lists> x;
    load<R, lists>(x, keys, n);
    sort_lanes<R, lists>(x);
    merge_lanes<2, R, lists>(x);
    interleave<lists, lists>(x);
    // The lanes of a list are side by side. What is between R and `lists` is overwritten.
    alignas(64) Key sorted[static_cast<std::size_t>(R * width + lists - R)];
    each<lists>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      constexpr int lane = r * width / lists, first = r * width % lists;
      if constexpr (first < R) {
        form.to_numbers(x[r]);
        std::memcpy(sorted + lane * R + first, &x[r], sizeof x[r]);
      }
    });
    each<R>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      index_t const at = r * width < n - width ? r * width : n - width;
      vector some;
      std::memcpy(&some, sorted + at, sizeof some);
      std::memcpy(to + at, &some, sizeof some);
    });
  }
  /// The middle one of some keys: of a register of medians of nine.  Requires: n >= width.
  PLACEMENT_ALWAYS_INLINE static Key middle(Key const* keys, index_t n) {
    registers<9> x;
    each<9>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      std::memcpy(&x[r], keys + (n - width) / 8 * r, sizeof x[r]);
    });
    each<3>([&](auto r) PLACEMENT_ALWAYS_INLINE { median(x[3 * r], x[3 * r + 1], x[3 * r + 2]); });
    median(x[0], x[3], x[6]);
    registers<1> of_lanes{x[0]};
    merge_lanes<2, 1, 1>(of_lanes);
    return of_lanes[0][width / 2];
  }

 private:
  /// As many as lists of registers that interleave() takes: a power of 2.
  template <int R>
  static constexpr int lists_of = static_cast<int>(std::bit_ceil(static_cast<unsigned>(R)));

  /// Key{~0} fills the other lanes. Registers beyond the last key are loads of the last ones, so
  /// that no branch depends on n.
  template <int R, int Lists>
  PLACEMENT_ALWAYS_INLINE static void load(registers<Lists>& x, Key const* keys, index_t n) {
    vector const last = vector{} + static_cast<Key>(~Key{0});
    vector number;
    write_numbers(number, numbers{});
    each<R>([&](auto r) PLACEMENT_ALWAYS_INLINE {
      index_t const at = r * width < n - width ? r * width : n - width;
      std::memcpy(&x[r], keys + at, sizeof x[r]);
      vector const first_new = vector{} + static_cast<Key>(r * width - at);
      x[r] = number < first_new ? last : x[r];
    });
    each<Lists - R>([&](auto r) PLACEMENT_ALWAYS_INLINE { x[R + r] = last; });
  }
  template <int... I>
  PLACEMENT_ALWAYS_INLINE static void write_numbers(vector& x, std::integer_sequence<int, I...>) {
    x = vector{static_cast<Key>(I)...};
  }
  PLACEMENT_ALWAYS_INLINE static void median(vector& a, vector& b, vector& c) {
    compare(a, b);
    b = b < c ? b : c;
    a = a < b ? b : a;
  }
  PLACEMENT_ALWAYS_INLINE static void compare(vector& a, vector& b) {
    vector const low = a < b ? a : b;
    b = a < b ? b : a;
    a = low;
  }
  /// Sorts each lane.
  template <int R, int Lists> PLACEMENT_ALWAYS_INLINE static void sort_lanes(registers<Lists>& x) {
    each<comparator_list<R>::count()>([&](auto i) PLACEMENT_ALWAYS_INLINE {
      constexpr auto pair = comparators<R>[static_cast<std::size_t>(i)];
      compare(x[pair.low], x[pair.high]);
    });
  }
  /// Merges groups of `Lanes` / 2 lanes, then larger ones.
  template <int Lanes, int R, int Lists>
  PLACEMENT_ALWAYS_INLINE static void merge_lanes(registers<Lists>& x) {
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
      clean_lanes<Lanes / 4, R, Lists>(x);
      clean_registers<0, R, Lists>(x);
      merge_lanes<Lanes * 2, R, Lists>(x);
    }
  }
  template <int Step, int R, int Lists>
  PLACEMENT_ALWAYS_INLINE static void clean_lanes(registers<Lists>& x) {
    if constexpr (Step != 0) {
      each<R>([&](auto r) PLACEMENT_ALWAYS_INLINE { compare_lanes<Step, Step>(x[r]); });
      clean_lanes<Step / 2, R, Lists>(x);
    }
  }
  /// Sorts `Count` registers from `First` on, whose keys ascend and then descend.
  template <int First, int Count, int Lists>
  PLACEMENT_ALWAYS_INLINE static void clean_registers(registers<Lists>& x) {
    if constexpr (Count == 3) {
      compare(x[First], x[First + 1]);
      compare(x[First + 1], x[First + 2]);
      compare(x[First], x[First + 1]);
    } else if constexpr (Count > 1) {
      each<Count / 2>(
          [&](auto r) PLACEMENT_ALWAYS_INLINE { compare(x[First + r], x[First + Count / 2 + r]); });
      clean_registers<First, Count / 2, Lists>(x);
      clean_registers<First + Count / 2, Count / 2, Lists>(x);
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
PLACEMENT_ALWAYS_INLINE inline void sort_in_registers(Key const* keys, Key* to, index_t n,
                                                      key_form<Key> const& form) {
  using network = sort_network<Key, Bytes>;
  constexpr index_t width = network::width;
  if (n < width) {
    Key some[static_cast<std::size_t>(width)];
    for (index_t i = 0; i != width; ++i) some[i] = i < n ? keys[i] : static_cast<Key>(~Key{0});
    network::template sort<1>(some, some, width, form);
    for (index_t i = 0; i != n; ++i) to[i] = some[i];
  } else if (n <= width * 2) {
    network::template sort<2>(keys, to, n, form);
  } else if (n <= width * 4) {
    network::template sort<4>(keys, to, n, form);
  } else if (n <= width * 8) {
    network::template sort<8>(keys, to, n, form);
  } else if (n <= width * 12) {
    network::template sort<12>(keys, to, n, form);
  } else {
    network::template sort<16>(keys, to, n, form);
  }
}
template <class Key>
PLACEMENT_FOR_AVX2 [[gnu::noinline]] inline void sort_for_avx2(Key const* keys, Key* to, index_t n,
                                                               key_form<Key> const& form) {
  sort_in_registers<32>(keys, to, n, form);
  __builtin_ia32_vzeroupper();
}
template <class Key>
PLACEMENT_FOR_AVX512 [[gnu::noinline]] inline void sort_for_avx512(Key const* keys, Key* to,
                                                                   index_t n,
                                                                   key_form<Key> const& form) {
  sort_in_registers<64>(keys, to, n, form);
  __builtin_ia32_vzeroupper();
}
template <class Key>
PLACEMENT_FOR_AVX2 [[gnu::noinline]] inline Key middle_for_avx2(Key const* keys, index_t n) {
  return sort_network<Key, 32>::middle(keys, n);
}
template <class Key>
PLACEMENT_FOR_AVX512 [[gnu::noinline]] inline Key middle_for_avx512(Key const* keys, index_t n) {
  return sort_network<Key, 64>::middle(keys, n);
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
