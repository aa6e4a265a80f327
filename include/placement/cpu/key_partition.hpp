#pragma once
/// A partition of keys, as by quicksort. It has forms for AVX2 and AVX-512, by whole registers.

#include <placement/config.hpp>
#include <placement/cpu/key_form.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/shape/extents.hpp>

#include <cstring>
#include <type_traits>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

/// Partitions n keys of `from`: those below the pivot go to `low`, the others to `high`, in their
/// order. One of both may be `from`. Returns how many are below.
template <class Key, class Read>
using partition_function = index_t (*)(Key const* from, Key* low, Key* high, index_t n, Key pivot,
                                       Read const& read);

/// Without a branch that keys mispredict. Both places of a key are written, as they are free.
template <class Key, class Read>
PLACEMENT_ALWAYS_INLINE inline index_t partition_keys(Key const* from, Key* low, Key* high,
                                                      index_t n, Key pivot, Read const& read) {
  index_t below = 0;
  Key lost = 0;
  for (index_t i = 0; i != n; ++i) {
    Key k;
    std::memcpy(&k, from + i, sizeof k);  // of a number
    read(k, lost);
    low[below] = high[i - below] = k;
    below += k < pivot ? 1 : 0;
  }
  read.finish(lost);
  return below;
}
template <class Key, class Read>
inline index_t partition_for_file(Key const* from, Key* low, Key* high, index_t n, Key pivot,
                                  Read const& read) {
  index_t i = 0;
  if (pivot == 0) {  // none is below
    constexpr int width = 16 / static_cast<int>(sizeof(Key));
    lanes<Key, width> x, lost{};
    for (; n - i >= width; i += width) {
      std::memcpy(&x, from + i, sizeof x);
      read(x, lost);
      std::memcpy(high + i, &x, sizeof x);
    }
    read.finish(lost);
  }
  return partition_keys(from + i, low, high + i, n - i, pivot, read);
}

/// The next keys and places, for keys beyond the first cache. Each of the three counts: 25 % at 32
/// Ki keys.
template <class Key>
PLACEMENT_ALWAYS_INLINE inline void prefetch_ahead(Key const* from, Key* low, Key* high) {
  constexpr int to_write = 1, ahead = 512 / static_cast<int>(sizeof(Key));
  __builtin_prefetch(from + 2 * ahead);
  __builtin_prefetch(low + ahead, to_write);
  __builtin_prefetch(high + ahead, to_write);
}
/// One register of AVX-512: instructions by the names that g++ and clang have for them.
template <class Key> struct key_register {
  static constexpr int width = 64 / static_cast<int>(sizeof(Key));
  static constexpr int less = 1, differs = 4;  // as the processor numbers comparisons
  using lane = std::conditional_t<sizeof(Key) == 4, int, long long>;
  using vector = lanes<Key, width>;
  using signed_vector = lanes<lane, width>;
  using mask = std::conditional_t<sizeof(Key) == 4, unsigned short, unsigned char>;

  static mask first(index_t n) { return static_cast<mask>((1u << n) - 1u); }
  template <int How, class V>
  PLACEMENT_FOR_AVX512 [[gnu::always_inline]] static mask where(V const& a, V const& b) {
    auto const x = __builtin_bit_cast(signed_vector, a), y = __builtin_bit_cast(signed_vector, b);
    constexpr auto every = static_cast<mask>(~0u);
    if constexpr (sizeof(Key) == 4) return __builtin_ia32_ucmpd512_mask(x, y, How, every);
    else return __builtin_ia32_ucmpq512_mask(x, y, How, every);
  }
  /// The lanes of the mask, next to each other from lane 0 on.
  template <class V>
  PLACEMENT_FOR_AVX512 [[gnu::always_inline]] static void compress(V& to, V const& a, mask m) {
    auto const x = __builtin_bit_cast(signed_vector, a);
    if constexpr (sizeof(Key) == 4)
      to = __builtin_bit_cast(V, __builtin_ia32_compresssi512_mask(x, signed_vector{}, m));
    else to = __builtin_bit_cast(V, __builtin_ia32_compressdi512_mask(x, signed_vector{}, m));
  }
  /// Loads or stores the lanes of the mask.
  template <class V>
  PLACEMENT_FOR_AVX512 [[gnu::always_inline]] static void load(V& x, Key const* from, mask m) {
    auto const* const p = reinterpret_cast<lane const*>(from);
    if constexpr (sizeof(Key) == 4)
      x = __builtin_bit_cast(V, __builtin_ia32_loaddqusi512_mask(p, signed_vector{}, m));
    else x = __builtin_bit_cast(V, __builtin_ia32_loaddqudi512_mask(p, signed_vector{}, m));
  }
  template <class V>
  PLACEMENT_FOR_AVX512 [[gnu::always_inline]] static void store(Key* to, V const& a, mask m) {
    auto const x = __builtin_bit_cast(signed_vector, a);
    auto* const p = reinterpret_cast<lane*>(to);
    if constexpr (sizeof(Key) == 4) __builtin_ia32_storedqusi512_mask(p, x, m);
    else __builtin_ia32_storedqudi512_mask(p, x, m);
  }
};
template <class Key, class Read>
PLACEMENT_FOR_AVX512 [[gnu::noinline]] inline index_t partition_for_avx512(Key const* from,
                                                                           Key* low, Key* high,
                                                                           index_t n, Key pivot,
                                                                           Read const& read) {
  using reg = key_register<Key>;
  using vector = typename reg::vector;
  using mask = typename reg::mask;
  vector const pivots = vector{} + pivot;
  vector x, some, lost{};
  index_t below = 0, i = 0;
  for (; n - i >= reg::width; i += reg::width) {
    std::memcpy(&x, from + i, sizeof x);
    read(x, lost);
    mask const is_below = reg::template where<reg::less>(x, pivots);
    Key *const to = low + below, *const other = high + (i - below);
    below += __builtin_popcount(is_below);
    prefetch_ahead(from + i, to, other);
    reg::compress(some, x, is_below);
    std::memcpy(to, &some, sizeof some);  // whole registers, of which the end is free
    reg::compress(some, x, static_cast<mask>(~is_below));
    std::memcpy(other, &some, sizeof some);
  }
  if (i != n) {
    mask const rest = reg::first(n - i);
    reg::load(x, from + i, rest);
    read(x, lost);
    mask const is_below = rest & reg::template where<reg::less>(x, pivots);
    index_t const count = __builtin_popcount(is_below);
    reg::compress(some, x, is_below);
    reg::store(low + below, some, reg::first(count));
    reg::compress(some, x, static_cast<mask>(rest & ~is_below));
    reg::store(high + (i - below), some, reg::first(n - i - count));
    below += count;
  }
  read.finish(lost);
  __builtin_ia32_vzeroupper();
  return below;
}
/// Writes the numbers of the different ones among n sorted keys. Returns how many they are.
template <class Key>
PLACEMENT_ALWAYS_INLINE inline index_t unique_keys(Key const* sorted, Key* to, index_t n,
                                                   key_form<Key> const& form, index_t i = 0,
                                                   index_t count = 0) {
  for (; i < n; ++i) {
    to[count] = form.number_of(sorted[i]);
    count += i == 0 || sorted[i] != sorted[i - 1] ? 1 : 0;
  }
  return count;
}
template <class Key>
inline index_t unique_for_file(Key const* sorted, Key* to, index_t n, key_form<Key> const& form) {
  return unique_keys(sorted, to, n, form);
}
template <class Key>
PLACEMENT_FOR_AVX512 [[gnu::noinline]] inline index_t unique_for_avx512(Key const* sorted, Key* to,
                                                                        index_t n,
                                                                        key_form<Key> const& form) {
  using reg = key_register<Key>;
  typename reg::vector x, before;
  index_t count = n == 0 ? 0 : unique_keys(sorted, to, 1, form), i = 1;
  for (; n - i >= reg::width; i += reg::width) {
    std::memcpy(&x, sorted + i, sizeof x);
    std::memcpy(&before, sorted + i - 1, sizeof before);
    auto const differ = reg::template where<reg::differs>(x, before);
    form.to_numbers(x);
    reg::compress(x, x, differ);
    std::memcpy(to + count, &x, sizeof x);
    count += __builtin_popcount(differ);
  }
  count = unique_keys(sorted, to, n, form, i, count);
  __builtin_ia32_vzeroupper();
  return count;
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

/// By registers of AVX2, whose lanes are permuted by a table.
template <class Key, class Read>
PLACEMENT_FOR_AVX2 [[gnu::noinline]] inline index_t partition_for_avx2(Key const* from, Key* low,
                                                                       Key* high, index_t n,
                                                                       Key pivot,
                                                                       Read const& read) {
  constexpr int width = lane_orders<Key>::width, all = (1 << width) - 1;
  constexpr Key top =
      Key{1} << (8 * sizeof(Key) - 1);  // the order of unsigned keys by signed lanes
  using lane = std::conditional_t<sizeof(Key) == 4, int, long long>;
  using real = std::conditional_t<sizeof(Key) == 4, float, double>;
  using signed_vector = lanes<lane, width>;
  auto const pivots = signed_vector{} + static_cast<lane>(pivot ^ top);
  lanes<Key, width> x, lost{};
  index_t below = 0, i = 0;
  for (; n - i >= width; i += width) {
    std::memcpy(&x, from + i, sizeof x);
    read(x, lost);
    auto const is_below = __builtin_bit_cast(signed_vector, x ^ top) < pivots;
    auto const signs = __builtin_bit_cast(lanes<real, width>, is_below);
    int mask = 0;
    if constexpr (sizeof(Key) == 4) mask = __builtin_ia32_movmskps256(signs);
    else mask = __builtin_ia32_movmskpd256(signs);
    lanes<int, 8> first, others;
    std::memcpy(&first, orders_of_lanes<Key>.number[mask], sizeof first);
    std::memcpy(&others, orders_of_lanes<Key>.number[~mask & all], sizeof others);
    auto const numbers = __builtin_bit_cast(lanes<int, 8>, x);
    first = __builtin_ia32_permvarsi256(numbers, first);
    others = __builtin_ia32_permvarsi256(numbers, others);
    Key *const to = low + below, *const other = high + (i - below);
    below += __builtin_popcount(static_cast<unsigned>(mask));
    prefetch_ahead(from + i, to, other);
    std::memcpy(to, &first, sizeof first);  // whole registers, of which the end is free
    std::memcpy(other, &others, sizeof others);
  }
  read.finish(lost);
  below += partition_keys(from + i, low + below, high + (i - below), n - i, pivot, read);
  __builtin_ia32_vzeroupper();
  return below;
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
