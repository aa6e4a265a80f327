#pragma once
/// A partition of keys, as by quicksort. It has forms for AVX2 and AVX-512, by whole registers.

#include <placement/config.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/shape/extents.hpp>

#include <cstring>
#include <type_traits>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// The order that a partition has: keys that are first, then the others.
template <class Key> struct partition_by {
  Key pivot;
  bool equal_first = false;  ///< keys are first if they are <= pivot, else if they are < pivot

  bool is_first(Key k) const { return k < pivot || (equal_first && k == pivot); }
};
/// Partitions n keys from `from` to `to`. Returns how many are first.
template <class Key>
using partition_function = index_t (*)(Key const* from, Key* to, index_t n,
                                       partition_by<Key> const& by);

/// Without a branch that keys mispredict.
template <class Key>
inline index_t partition_keys(Key const* from, Key* to, index_t n, partition_by<Key> const& by) {
  index_t begin = 0, end = n - 1;
  for (index_t i = 0; i != n; ++i) {
    Key const k = from[i];
    bool const first = by.is_first(k);
    to[begin] = to[end] = k;  // one of both is overwritten later
    begin += first ? 1 : 0;
    end -= first ? 0 : 1;
  }
  return begin;
}

/// One register of AVX-512: instructions by the names that g++ and clang have for them.
template <class Key> struct key_register {
  static constexpr int width = 64 / static_cast<int>(sizeof(Key));
  static constexpr int less = 1, less_or_equal = 2;  // as the processor numbers comparisons
  using lane = std::conditional_t<sizeof(Key) == 4, int, long long>;
  using vector = lanes<lane, width>;
  using mask = std::conditional_t<sizeof(Key) == 4, unsigned short, unsigned char>;

  PLACEMENT_FOR_AVX512 [[gnu::always_inline]] static void load(vector& x, Key const* p) {
    std::memcpy(&x, p, sizeof x);
  }
  template <int How, class V>
  PLACEMENT_FOR_AVX512 [[gnu::always_inline]] static mask where(V const& a, V const& b) {
    constexpr auto every = static_cast<mask>(~0u);
    if constexpr (sizeof(Key) == 4) return __builtin_ia32_ucmpd512_mask(a, b, How, every);
    else return __builtin_ia32_ucmpq512_mask(a, b, How, every);
  }
  /// The lanes of the mask, next to each other from lane 0 on.
  template <class V>
  PLACEMENT_FOR_AVX512 [[gnu::always_inline]] static void compress(V& to, V const& x, mask m) {
    if constexpr (sizeof(Key) == 4) to = __builtin_ia32_compresssi512_mask(x, V{}, m);
    else to = __builtin_ia32_compressdi512_mask(x, V{}, m);
  }
  /// Stores the lanes of the mask.
  template <class V>
  PLACEMENT_FOR_AVX512 [[gnu::always_inline]] static void store(Key* p, V const& x, mask m) {
    if constexpr (sizeof(Key) == 4)
      __builtin_ia32_storedqusi512_mask(reinterpret_cast<lane*>(p), x, m);
    else __builtin_ia32_storedqudi512_mask(reinterpret_cast<lane*>(p), x, m);
  }
};
template <int How, class Key>
PLACEMENT_FOR_AVX512 [[gnu::always_inline]] inline index_t partition_registers(
    Key const* from, Key* to, index_t n, partition_by<Key> const& by) {
  using reg = key_register<Key>;
  using mask = typename reg::mask;
  Key pivots[reg::width];
  for (Key& k : pivots) k = by.pivot;
  typename reg::vector pivot, x, some;
  reg::load(pivot, pivots);
  index_t begin = 0, end = n, i = 0;
  for (; n - i >= reg::width; i += reg::width) {
    reg::load(x, from + i);
    mask const first = reg::template where<How>(x, pivot);
    int const count = __builtin_popcount(first), others = reg::width - count;
    reg::compress(some, x, first);
    std::memcpy(to + begin, &some, sizeof some);  // at least a register is left in between
    begin += count;
    end -= others;
    reg::compress(some, x, static_cast<mask>(~first));
    reg::store(to + end, some, static_cast<mask>((1u << others) - 1u));
  }
  return begin + partition_keys(from + i, to + begin, n - i, by);
}
template <class Key>
PLACEMENT_FOR_AVX512 inline index_t partition_for_avx512(Key const* from, Key* to, index_t n,
                                                         partition_by<Key> const& by) {
  using reg = key_register<Key>;
  return by.equal_first ? partition_registers<reg::less_or_equal>(from, to, n, by)
                        : partition_registers<reg::less>(from, to, n, by);
}
/// For each mask of the lanes of a 32-byte register, the numbers of these lanes, then of the
/// others. A lane of 8 bytes has two numbers.
template <class Key> struct lane_orders {
  static constexpr int width = 32 / static_cast<int>(sizeof(Key)), parts = 8 / width;
  int number[1 << width][8]{};

  constexpr lane_orders() {
    for (int mask = 0; mask != 1 << width; ++mask) {
      int k = 0;
      for (int const wanted : {1, 0})
        for (int lane = 0; lane != width; ++lane)
          if ((mask >> lane & 1) == wanted)
            for (int part = 0; part != parts; ++part) number[mask][k++] = lane * parts + part;
    }
  }
};
template <class Key> inline constexpr lane_orders<Key> orders_of_lanes{};

/// By registers of AVX2: all lanes are permuted, so that the first ones come first.
template <bool EqualFirst, class Key>
PLACEMENT_FOR_AVX2 [[gnu::always_inline]] inline index_t partition_short_registers(
    Key const* from, Key* to, index_t n, partition_by<Key> const& by) {
  constexpr int width = lane_orders<Key>::width, all = (1 << width) - 1;
  constexpr Key top =
      Key{1} << (8 * sizeof(Key) - 1);  // the order of unsigned keys by signed lanes
  using lane = std::conditional_t<sizeof(Key) == 4, int, long long>;
  using real = std::conditional_t<sizeof(Key) == 4, float, double>;
  using vector = lanes<lane, width>;
  vector const pivot = vector{} + static_cast<lane>(by.pivot ^ top);
  index_t begin = 0, end = n, i = 0;
  for (; n - i >= 2 * width; i += width) {
    vector x;
    std::memcpy(&x, from + i, sizeof x);
    vector const ordered = x ^ static_cast<lane>(top);
    auto const chosen = EqualFirst ? ordered > pivot : ordered < pivot;
    lanes<real, width> signs;
    std::memcpy(&signs, &chosen, sizeof signs);
    int mask = 0;
    if constexpr (sizeof(Key) == 4) mask = __builtin_ia32_movmskps256(signs);
    else mask = __builtin_ia32_movmskpd256(signs);
    if constexpr (EqualFirst) mask = ~mask & all;
    lanes<int, 8> numbers, order;
    std::memcpy(&numbers, &x, sizeof x);
    std::memcpy(&order, orders_of_lanes<Key>.number[mask], sizeof order);
    lanes<int, 8> const permuted = __builtin_ia32_permvarsi256(numbers, order);
    std::memcpy(to + begin, &permuted, sizeof permuted);  // two registers are left in between
    std::memcpy(to + end - width, &permuted, sizeof permuted);
    int const count = __builtin_popcount(static_cast<unsigned>(mask));
    begin += count;
    end -= width - count;
  }
  return begin + partition_keys(from + i, to + begin, n - i, by);
}
template <class Key>
PLACEMENT_FOR_AVX2 inline index_t partition_for_avx2(Key const* from, Key* to, index_t n,
                                                     partition_by<Key> const& by) {
  return by.equal_first ? partition_short_registers<true>(from, to, n, by)
                        : partition_short_registers<false>(from, to, n, by);
}
/// The one for this machine's processor.
template <class Key> inline partition_function<Key> partition_of_processor() {
  if constexpr (PLACEMENT_X86_LEVEL != 0) {
    if (cpu_level_in_use() == cpu_level::avx512) return partition_for_avx512<Key>;
    if (cpu_level_in_use() == cpu_level::avx2) return partition_for_avx2<Key>;
  }
  return partition_keys<Key>;
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
