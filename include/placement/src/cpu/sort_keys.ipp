#pragma once
/// Definitions of sort_keys.hpp. A partition of keys has a form for AVX-512, by whole registers.

#include <placement/config.hpp>
#include <placement/cpu/lanes.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/cpu/sort_keys.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

PLACEMENT_INLINED_VECTORS_BEGIN
namespace placement { inline namespace v0_1 { namespace detail {

inline key32 key_of(key32 k) { return k; }
inline key64 key_of(key64 k) { return k; }
inline key64 key_of(keyed_index const& i) { return i.key; }

/// Sorts stably by digits of `Bits` bits, from bit `First` on. Digits that all keys share are
/// skipped. Count: the type of numbers up to n.
template <int Bits, int First, class Count, class Item>
[[gnu::noinline]] inline void radix_sort_by(Item* const items, Item* const scratch, index_t n) {
  constexpr int width = static_cast<int>(sizeof(key_of(Item{}))) * 8 - First;
  constexpr auto digits = static_cast<std::size_t>((width + Bits - 1) / Bits);
  constexpr std::size_t values = std::size_t{1} << Bits;
  auto const digit = [](Item const& x, std::size_t d) __attribute__((always_inline)) {
    return static_cast<std::size_t>(key_of(x) >> (static_cast<int>(d) * Bits + First)) % values;
  };
  Count count[digits][values]{};
  for (index_t i = 0; i != n; ++i)
    for (std::size_t d = 0; d != digits; ++d) ++count[d][digit(items[i], d)];
  Item *from = items, *to = scratch;
  for (std::size_t d = 0; d != digits; ++d) {
    Count* const next = count[d];
    if (static_cast<index_t>(next[digit(from[0], d)]) == n) continue;
    Count begin = 0;
    for (std::size_t v = 0; v != values; ++v) {
      Count const size = std::exchange(next[v], begin);
      begin = static_cast<Count>(begin + size);
    }
    for (index_t i = 0; i != n; ++i) to[next[digit(from[i], d)]++] = from[i];
    std::swap(from, to);
  }
  if (from != items) std::copy_n(from, n, items);
}
/// Stably, without a table of counters.
template <class Item> inline void insertion_sort(Item* items, index_t n) {
  for (index_t i = 1; i < n; ++i) {
    Item const x = items[i];
    index_t j = i;
    for (; j != 0 && key_of(x) < key_of(items[j - 1]); --j) items[j] = items[j - 1];
    items[j] = x;
  }
}
/// Long digits need fewer passes, and more counters.
template <int First, class Count, class Item>
inline void radix_sort(Item* items, Item* scratch, index_t n) {
  constexpr index_t shortest = 48, some = 2048;
  if (n < shortest) insertion_sort(items, n);
  else if (n < some) radix_sort_by<8, First, Count>(items, scratch, n);
  else radix_sort_by<11, First, Count>(items, scratch, n);
}

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
/// The one for this machine's processor.
template <class Key> inline partition_function<Key> partition_of_processor() {
  if constexpr (PLACEMENT_X86_LEVEL != 0)
    if (cpu_level_in_use() == cpu_level::avx512) return partition_for_avx512<Key>;
  return partition_keys<Key>;
}

/// Partitions again and again, until all keys are equal or there are only some.
template <class Key> class key_partitions {
 public:
  /// Splits `from` into `to`: the first `size` keys come before the others. Then all keys are equal
  /// if `is_equal`, else those.
  struct split {
    index_t size;
    bool is_equal;
  };

  split run(Key const* from, Key* to, index_t n, int depth) const {
    partition_by<Key> by{depth < most_by_median ? near_median(from, n) : between(from, n)};
    index_t const first = partition_(from, to, n, by);
    if (first != 0) return {first, false};
    by.equal_first = true;  // none is below the pivot
    return {partition_(from, to, n, by), true};
  }

 private:
  static constexpr int most_by_median = 48;

  static Key near_median(Key const* x, index_t n) {
    Key sample[9];
    index_t i = 0;
    for (Key& k : sample) k = x[n / 9 * i++];
    std::nth_element(sample, sample + 4, sample + 9);
    return sample[4];
  }
  /// Halves the range of the keys, so that the number of partitions is bounded.
  static Key between(Key const* x, index_t n) {
    auto const [low, high] = std::minmax_element(x, x + n);
    return static_cast<Key>(*low + (*high - *low) / 2 + (*low != *high ? 1 : 0));
  }
  partition_function<Key> partition_ = partition_of_processor<Key>();
};

/// Sorts n keys of `from` to `result`, which is `from` or `other`; the remaining one is scratch
/// memory.
template <class Key>
inline void sort_ranges(key_partitions<Key> const& by, Key* from, Key* other, Key* result,
                        index_t n, int depth) {
  constexpr index_t most = (index_t{1} << 19) / static_cast<index_t>(sizeof(Key));
  for (; n > most; ++depth) {
    auto const first = by.run(from, other, n, depth);
    if (!first.is_equal) sort_ranges(by, other, from, result, first.size, depth + 1);
    else if (result != other) std::copy_n(other, first.size, result);
    std::swap(from, other);
    from += first.size;
    other += first.size;
    result += first.size;
    n -= first.size;
  }
  radix_sort<0, unsigned>(from, other, n);
  if (result != from) std::copy_n(from, n, result);
}
template <class Key> inline Key nth_of(Key* from, Key* other, index_t n, index_t k) {
  constexpr index_t some = 64;
  key_partitions<Key> const by;
  for (int depth = 0; n > some; ++depth) {
    auto const first = by.run(from, other, n, depth);
    if (k < first.size && first.is_equal) return other[k];
    std::swap(from, other);
    if (k < first.size) {
      n = first.size;
    } else {
      from += first.size;
      other += first.size;
      n -= first.size;
      k -= first.size;
    }
  }
  std::nth_element(from, from + k, from + n);
  return from[k];
}

PLACEMENT_INLINE void sort_keys(key32* keys, key32* scratch, index_t n) noexcept {
  sort_ranges<key32>({}, keys, scratch, keys, n, 0);
}
PLACEMENT_INLINE void sort_keys(key64* keys, key64* scratch, index_t n) noexcept {
  sort_ranges<key64>({}, keys, scratch, keys, n, 0);
}
PLACEMENT_INLINE void sort_numbered(key64* keys, key64* scratch, index_t n) noexcept {
  constexpr index_t most = index_t{1} << 16;
  if (n > most) sort_keys(keys, scratch, n);
  else radix_sort<32, unsigned>(keys, scratch, n);
}
PLACEMENT_INLINE void sort_keyed(keyed_index* items, keyed_index* scratch, index_t n) noexcept {
  radix_sort<0, index_t>(items, scratch, n);
}
PLACEMENT_INLINE key32 nth_key(key32* keys, key32* scratch, index_t n, index_t k) noexcept {
  return nth_of(keys, scratch, n, k);
}
PLACEMENT_INLINE key64 nth_key(key64* keys, key64* scratch, index_t n, index_t k) noexcept {
  return nth_of(keys, scratch, n, k);
}

}}}  // namespace placement::v0_1::detail
PLACEMENT_INLINED_VECTORS_END
