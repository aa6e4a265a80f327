#pragma once
/// Definitions of sort_keys.hpp.

#include <placement/config.hpp>
#include <placement/cpu/key_partition.hpp>
#include <placement/cpu/sort_keys.hpp>
#include <placement/cpu/sort_network.hpp>

#include <algorithm>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

inline key32 key_of(key32 k) { return k; }
inline key64 key_of(key64 k) { return k; }
inline key64 key_of(keyed_index const& i) { return i.key; }

/// Sorts stably by `Digits` digits of `Bits` bits, from bit `First` on, of the difference of a key
/// and `base`. Digits that all keys share are skipped. Count: the type of numbers up to n.
template <int Bits, int First, std::size_t Digits, class Count, class Item, class Key>
[[gnu::noinline]] inline void radix_sort_by(Item* const items, Item* const scratch, index_t n,
                                            Key base) {
  constexpr std::size_t values = std::size_t{1} << Bits;
  auto const digit = [base](Item const& x, std::size_t d) PLACEMENT_ALWAYS_INLINE {
    return static_cast<std::size_t>((key_of(x) - base) >> (static_cast<int>(d) * Bits + First)) %
           values;
  };
  Count count[Digits][values]{};
  for (index_t i = 0; i != n; ++i)
    for (std::size_t d = 0; d != Digits; ++d) ++count[d][digit(items[i], d)];
  Item *from = items, *to = scratch;
  for (std::size_t d = 0; d != Digits; ++d) {
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
/// The digits of a key from bit First on.
template <int Bits, int First, class Key>
inline constexpr auto digits_of_key =
    static_cast<std::size_t>((static_cast<int>(sizeof(Key)) * 8 - First + Bits - 1) / Bits);
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
  using key = decltype(key_of(*items));
  if (n < shortest) insertion_sort(items, n);
  else if (n < some)
    radix_sort_by<8, First, digits_of_key<8, First, key>, Count>(items, scratch, n, key{});
  else radix_sort_by<11, First, digits_of_key<11, First, key>, Count>(items, scratch, n, key{});
}
/// The same for keys from `low` to `high`: near keys have fewer digits.
template <class Key>
inline void radix_sort_between(Key* keys, Key* scratch, index_t n, Key low, Key high) {
  constexpr int bits = 11;
  constexpr index_t some = 2048;
  constexpr std::size_t all = digits_of_key<bits, 0, Key>;
  auto const fits = [&](std::size_t digits) {
    return (high - low) >> (static_cast<int>(digits) * bits) == 0;
  };
  if (n < some || !fits(all - 1)) radix_sort<0, unsigned>(keys, scratch, n);
  else if (!fits(all - 2)) radix_sort_by<bits, 0, all - 1, unsigned>(keys, scratch, n, low);
  else radix_sort_by<bits, 0, all - 2, unsigned>(keys, scratch, n, low);
}

/// Partitions again and again, until all keys are equal or there are only some.
template <class Key> class key_partitions {
 public:
  /// Splits `from` into `to`: the first `size` keys come before the others. Then all keys are equal
  /// if `is_equal`, else those.
  struct split {
    index_t size;
    bool is_equal;
    Key pivot;  ///< not below the first keys, not above the others
  };

  split run(Key const* from, Key* to, index_t n, int depth) const {
    partition_by<Key> by{depth < most_by_median ? near_median(from, n) : between(from, n)};
    index_t const first = partition_(from, to, n, by);
    if (first != 0) return {first, false, by.pivot};
    by.equal_first = true;  // none is below the pivot
    return {partition_(from, to, n, by), true, by.pivot};
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

/// Sorts n keys of `from`, which are from `low` to `high`, to `result`, which is `from` or `other`;
/// the remaining one is scratch memory.
template <class Key> class range_sorter {
 public:
  void sort(Key* from, Key* other, Key* result, index_t n, Key low, Key high, int depth) const {
    for (; is_partitioned(n, low, high); ++depth) {
      auto const first = partitions_.run(from, other, n, depth);
      if (!first.is_equal) sort(other, from, result, first.size, low, first.pivot, depth + 1);
      else if (result != other) std::copy_n(other, first.size, result);
      low = first.pivot;
      std::swap(from, other);
      from += first.size;
      other += first.size;
      result += first.size;
      n -= first.size;
    }
    if (network_.most != 0 && n <= network_.most) network_.sort(from, n);
    else radix_sort_between(from, other, n, low, high);
    if (result != from) std::copy_n(from, n, result);
  }

 private:
  /// Two passes of a radix sort are faster than partitions down to the size of a network.
  bool is_partitioned(index_t n, Key low, Key high) const {
    constexpr index_t cached = (index_t{1} << 17) / static_cast<index_t>(sizeof(Key)), some = 2048;
    constexpr int two_digits = 22;
    if (n > cached) return true;
    return network_.most != 0 && n > network_.most && (n < some || (high - low) >> two_digits != 0);
  }
  key_partitions<Key> partitions_;
  network_function<Key> network_ = network_of_processor<Key>();
};
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
  range_sorter<key32>().sort(keys, scratch, keys, n, 0, ~key32{0}, 0);
}
PLACEMENT_INLINE void sort_keys(key64* keys, key64* scratch, index_t n) noexcept {
  range_sorter<key64>().sort(keys, scratch, keys, n, 0, ~key64{0}, 0);
}
PLACEMENT_INLINE void sort_numbered(key64* keys, key64* scratch, index_t n) noexcept {
  constexpr index_t some = 2048, most = index_t{1} << 16;
  bool const has_network = network_of_processor<key64>().most != 0;
  if (n > most || (n < some && has_network)) sort_keys(keys, scratch, n);
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
