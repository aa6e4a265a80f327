#pragma once
/// The parts of a quicksort of keys, by the instructions of this machine's processor.

#include <placement/cpu/key_partition.hpp>
#include <placement/cpu/processor.hpp>
#include <placement/cpu/sort_network.hpp>

#include <algorithm>

namespace placement { inline namespace v0_1 { namespace detail {

/// The middle one of nine keys.
template <class Key> inline Key middle_for_file(Key const* keys, index_t n) {
  Key sample[9];
  index_t i = 0;
  for (Key& k : sample) k = keys[n / 9 * i++];
  std::nth_element(sample, sample + 4, sample + 9);
  return sample[4];
}

template <class Key> struct key_functions {
  partition_function<Key, read_keys> partition = partition_for_file<Key, read_keys>;
  partition_function<Key, read_numbers<Key>> partition_numbers =
      partition_for_file<Key, read_numbers<Key>>;
  index_t (*unique)(Key const* sorted, Key* to, index_t n,
                    key_form<Key> const& form) = unique_for_file<Key>;
  /// A key near the median of at least `fewest` keys.
  Key (*middle)(Key const* keys, index_t n) = middle_for_file<Key>;
  index_t fewest = 9;
  /// Sorts `most` keys or less by a network, and writes their numbers. `most` is 0 where there is
  /// none, as in files that nvcc compiles: nvcc 13.0 crashes on these networks.
  void (*sort)(Key const* keys, Key* to, index_t n, key_form<Key> const& form) = nullptr;
  index_t most = 0;
};
/// Those for this machine's processor.
template <class Key> inline key_functions<Key> key_functions_of_processor() {
  key_functions<Key> f;
  if constexpr (PLACEMENT_X86_LEVEL != 0) {
    constexpr bool has_networks =
        (PLACEMENT_HAS_LEVELS || PLACEMENT_X86_LEVEL == 4) && !PLACEMENT_CUDA_TU;
    constexpr auto of_networks = index_t{16}, bytes = static_cast<index_t>(sizeof(Key));
    if (cpu_level_in_use() == cpu_level::avx512) {
      f.partition = partition_for_avx512<Key, read_keys>;
      f.partition_numbers = partition_for_avx512<Key, read_numbers<Key>>;
      f.unique = unique_for_avx512<Key>;
      if constexpr (has_networks) {
        f.middle = middle_for_avx512<Key>, f.fewest = 64 / bytes;
        f.sort = sort_for_avx512<Key>, f.most = of_networks * 64 / bytes;
      }
    } else if (cpu_level_in_use() == cpu_level::avx2) {
      f.partition = partition_for_avx2<Key, read_keys>;
      f.partition_numbers = partition_for_avx2<Key, read_numbers<Key>>;
      if constexpr (has_networks) {
        f.middle = middle_for_avx2<Key>, f.fewest = 32 / bytes;
        f.sort = sort_for_avx2<Key>, f.most = of_networks * 32 / bytes;
      }
    }
  }
  return f;
}

}}}  // namespace placement::v0_1::detail
