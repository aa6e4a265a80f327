#pragma once
/// Sorts unsigned numbers, and selects among them. Other elements are sorted by such keys.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Of fundamental types, as the instructions of processors name them.
using key32 = unsigned;
using key64 = unsigned long long;

/// A key, and where its element is.
struct keyed_index {
  key64 key;
  index_t index;
};

/// Sorts n keys, of which the first `wanted` are in order then; `scratch` has room for n.
/// Cost: with AVX2 a quicksort by vectors. Else a radix sort, one pass for each digit of 8 or 11
/// bits that differs. For it, arrays beyond the caches are partitioned into ranges of keys.
PLACEMENT_ON_CALL void sort_keys(key32* keys, key32* scratch, index_t n, index_t wanted) noexcept;
PLACEMENT_ON_CALL void sort_keys(key64* keys, key64* scratch, index_t n, index_t wanted) noexcept;
inline void sort_keys(key32* keys, key32* scratch, index_t n) noexcept {
  sort_keys(keys, scratch, n, n);
}
inline void sort_keys(key64* keys, key64* scratch, index_t n) noexcept {
  sort_keys(keys, scratch, n, n);
}
/// Sorts n keys, of which the lower halves are 0, 1, ... n - 1.
PLACEMENT_ON_CALL void sort_numbered(key64* keys, key64* scratch, index_t n) noexcept;
/// Sorts stably by the keys.
PLACEMENT_ON_CALL void sort_keyed(keyed_index* items, keyed_index* scratch, index_t n) noexcept;

/// The key that sorted keys have at position k. Overwrites the keys and as much scratch memory.
/// Requires: 0 <= k < n.  Cost: linear on average; at worst one pass for each bit of a key.
PLACEMENT_ON_CALL key32 nth_key(key32* keys, key32* scratch, index_t n, index_t k) noexcept;
PLACEMENT_ON_CALL key64 nth_key(key64* keys, key64* scratch, index_t n, index_t k) noexcept;

}}}  // namespace placement::v0_1::detail
