#pragma once
/// Sorts numbers by their bits, in linear time.

#include <placement/ops/sort.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// Unsigned numbers in the order of elements: NaN last, -0 before 0.
template <class T> struct sort_key {
  using type = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr type top = type{1} << (8 * sizeof(type) - 1);

  static type of(T x) {
    if constexpr (real_number<T>) {
      using wide = std::conditional_t<sizeof(T) == 8, double, float>;
      auto const bits = std::bit_cast<type>(x != x ? std::numeric_limits<wide>::quiet_NaN()
                                                   : static_cast<wide>(x));
      return (bits & top) != 0 ? ~bits : bits | top;
    } else if constexpr (std::is_signed_v<T>) {
      using same_size = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
      return static_cast<type>(static_cast<same_size>(x)) ^ top;
    } else {
      return static_cast<type>(x);
    }
  }
  static T element(type k) {
    if constexpr (real_number<T>) {
      using wide = std::conditional_t<sizeof(T) == 8, double, float>;
      return static_cast<T>(std::bit_cast<wide>((k & top) != 0 ? k ^ top : ~k));
    } else if constexpr (std::is_signed_v<T>) {
      using same_size = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
      return static_cast<T>(static_cast<same_size>(k ^ top));
    } else {
      return static_cast<T>(k);
    }
  }
};

/// Sorts n keys, with scratch memory for as many. Returns where the sorted ones are: `key` or
/// `scratch`. Cost: a pass for each byte that differs.
template <class Key> Key* radix_sort(Key* key, Key* scratch, index_t n) {
  constexpr std::size_t bytes = sizeof(Key);
  index_t count[bytes][256]{};
  for (index_t i = 0; i != n; ++i)
    for (std::size_t b = 0; b != bytes; ++b) ++count[b][key[i] >> (8 * b) & 255];
  for (std::size_t b = 0; b != bytes; ++b) {
    index_t* const next = count[b];
    if (n == 0 || next[key[0] >> (8 * b) & 255] == n) continue;
    index_t begin = 0;
    for (int digit = 0; digit != 256; ++digit) begin += std::exchange(next[digit], begin);
    for (index_t i = 0; i != n; ++i) scratch[next[key[i] >> (8 * b) & 255]++] = key[i];
    std::swap(key, scratch);
  }
  return key;
}

}}}  // namespace placement::v0_1::detail
