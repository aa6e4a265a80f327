#pragma once
/// Sorts keys by partitions, as quicksort does, and short ranges by networks or digits.

#include <placement/cpu/key_functions.hpp>
#include <placement/cpu/radix_sort.hpp>

#include <algorithm>
#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// Keys between two bounds, which are among them.
template <class Key> struct key_range {
  Key low = 0, high = static_cast<Key>(-1);

  constexpr bool is_one_key() const { return low == high; }
  constexpr key_range below(Key pivot) const { return {low, static_cast<Key>(pivot - 1)}; }
  constexpr key_range from(Key pivot) const { return {pivot, high}; }
  /// For a partition of the keys of this range, near k if that is one of them. Above `low`, so
  /// that keys equal to it are separated from the others.
  constexpr Key pivot_near(Key k) const { return k > low ? k : static_cast<Key>(low + 1); }
  /// Halves the range, so that the number of partitions is bounded.
  constexpr Key half() const { return static_cast<Key>(low + (high - low) / 2 + 1); }
};

/// A partition writes the keys below the pivot to `result`, the others to `other`, each from the
/// start on. So the keys of a range are at the start of one of both. The two are of one length.
template <class Key> class range_sorter {
 public:
  /// `written`: how sorted keys become numbers.
  explicit range_sorter(key_form<Key> const& written = {}) : written_(written) {}

  /// Sorts n keys of `from`, which is `result` or `other`, to `result`. The first `wanted` ones are
  /// in order then.
  void sort(Key* from, Key* result, Key* other, index_t n, index_t wanted,
            key_range<Key> range = {}, int depth = 0) const {
    for (; n > longest_; ++depth) {
      if (range.is_one_key()) return fill(result, n, range.low);
      Key const pivot = pivot_of(from, n, range, depth);
      index_t const below = of_.partition(from, result, other, n, pivot, {});
      if (below < wanted && below != n)
        sort(other, result + below, other, n - below, wanted - below, range.from(pivot), depth + 1);
      if (below == 0) return;
      from = result;
      n = below;
      range = range.below(pivot);
    }
    sort_short(from, result, from == other ? result : other, n, range);
  }
  /// The same for numbers of `in`, which is neither of both.
  void sort_numbers(Key const* in, Key* result, Key* other, index_t n, index_t wanted,
                    read_numbers<Key> const& read) const {
    Key const pivot = n > longest_ ? key_range<Key>{}.pivot_near(middle_of(in, n, read.form)) : 0;
    index_t const below = of_.partition_numbers(in, result, other, n, pivot, read);
    if (below < wanted && below != n)
      sort(other, result + below, other, n - below, wanted - below, {.low = pivot}, 1);
    if (below != 0) sort(result, result, other, below, wanted, key_range<Key>{}.below(pivot), 1);
  }
  /// The key at position k of the sorted keys of `keys`, which is as long as `other`.
  Key nth(Key* const keys, Key* const other, index_t n, index_t k) const {
    constexpr index_t some = 64;
    Key* from = keys;
    key_range<Key> range;
    for (int depth = 0; n > some; ++depth) {
      if (range.is_one_key()) return range.low;
      Key const pivot = pivot_of(from, n, range, depth);
      index_t const below = of_.partition(from, keys, other, n, pivot, {});
      if (k < below) {
        from = keys;
        n = below;
        range = range.below(pivot);
      } else {
        from = other;
        n -= below;
        k -= below;
        range = range.from(pivot);
      }
    }
    std::nth_element(from, from + k, from + n);
    return from[k];
  }

 private:
  Key pivot_of(Key const* keys, index_t n, key_range<Key> const& range, int depth) const {
    constexpr int most_by_middle = 48;
    return depth < most_by_middle ? range.pivot_near(of_.middle(keys, n)) : range.half();
  }
  Key middle_of(Key const* in, index_t n, key_form<Key> const& form) const {
    constexpr index_t blocks = 9, longest = 16;
    Key numbers[blocks * longest], none[blocks * longest], keys[blocks * longest];
    index_t const length = of_.fewest < longest ? of_.fewest : longest;
    for (index_t i = 0; i != blocks; ++i)
      std::memcpy(numbers + i * length, in + (n - length) / (blocks - 1) * i,
                  static_cast<std::size_t>(length) * sizeof(Key));
    bool loses_bits = false;
    of_.partition_numbers(numbers, none, keys, blocks * length, 0, {form, loses_bits});
    return of_.middle(keys, blocks * length);
  }
  void fill(Key* result, index_t n, Key key) const {
    constexpr auto together = index_t{64 / sizeof(Key)};
    Key numbers[static_cast<std::size_t>(together)];
    std::fill_n(numbers, together, written_.number_of(key));
    index_t i = 0;
    for (; n - i >= together; i += together) std::memcpy(result + i, numbers, sizeof numbers);
    std::copy_n(numbers, n - i, result + i);
  }
  void sort_short(Key* from, Key* result, Key* scratch, index_t n,
                  key_range<Key> const& range) const {
    if (n == 0) return;  // no keys may have no memory
    if (of_.most != 0) return of_.sort(from, result, n, written_);
    radix_sort_between(from, scratch, n, range.low, range.high);
    written_.write_numbers(result, from, n);
  }

  key_form<Key> written_;
  key_functions<Key> of_ = key_functions_of_processor<Key>();
  /// Of the ranges that are not partitioned. A radix sort is fast in the first caches.
  index_t longest_ = of_.most != 0 ? of_.most : (index_t{1} << 17) / index_t{sizeof(Key)};
};

}}}  // namespace placement::v0_1::detail
