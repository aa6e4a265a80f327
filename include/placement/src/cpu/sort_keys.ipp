#pragma once
/// Definitions of sort_keys.hpp.

#include <placement/config.hpp>
#include <placement/cpu/range_sorter.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

PLACEMENT_INLINE_ON_CALL void sort_keys(key32* keys, key32* scratch, index_t n,
                                        index_t wanted) noexcept {
  range_sorter<key32>().sort(keys, keys, scratch, n, wanted);
}
PLACEMENT_INLINE_ON_CALL void sort_keys(key64* keys, key64* scratch, index_t n,
                                        index_t wanted) noexcept {
  range_sorter<key64>().sort(keys, keys, scratch, n, wanted);
}
PLACEMENT_INLINE_ON_CALL void sort_numbered(key64* keys, key64* scratch, index_t n) noexcept {
  // A radix sort skips the digits of the lower halves. Partitions by AVX-512 are faster still.
  constexpr index_t some = 2048, most = index_t{1} << 16, of_avx512 = 128;
  index_t const of_network = key_functions_of_processor<key64>().most;
  index_t const shortest = of_network == 0 ? 0 : some;
  if (of_network < of_avx512 && n >= shortest && n <= most)
    radix_sort<32, unsigned>(keys, scratch, n);
  else sort_keys(keys, scratch, n, n);
}
PLACEMENT_INLINE_ON_CALL void sort_keyed(keyed_index* items, keyed_index* scratch,
                                         index_t n) noexcept {
  radix_sort<0, index_t>(items, scratch, n);
}
PLACEMENT_INLINE_ON_CALL key32 nth_key(key32* keys, key32* scratch, index_t n, index_t k) noexcept {
  return range_sorter<key32>().nth(keys, scratch, n, k);
}
PLACEMENT_INLINE_ON_CALL key64 nth_key(key64* keys, key64* scratch, index_t n, index_t k) noexcept {
  return range_sorter<key64>().nth(keys, scratch, n, k);
}

}}}  // namespace placement::v0_1::detail
