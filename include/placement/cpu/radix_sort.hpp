#pragma once
/// Sorts keys digit by digit.

#include <placement/config.hpp>
#include <placement/cpu/sort_keys.hpp>

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

}}}  // namespace placement::v0_1::detail
