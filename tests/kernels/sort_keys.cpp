// Sorted keys, and the nth key, against std::sort: by each partition that this machine has.
#include <placement/cpu/sort_keys.hpp>
#include <placement/placement.hpp>
#include <placement/src/cpu/sort_keys.ipp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <vector>

using namespace placement;
using detail::key32;
using detail::key64;

namespace {

constexpr int kinds = 7;
/// n keys: random ones, some different ones, ascending, descending, all equal, or near each other.
template <class Key> std::vector<Key> keys_of(int kind, index_t n) {
  std::vector<Key> keys;
  key64 random = 88172645463325252u;
  for (index_t i = 0; i != n; ++i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    auto const k = static_cast<key64>(i);
    key64 const of_kind[] = {random,
                             random % 5 << 30,
                             k,
                             ~k,
                             7,
                             (key64{3} << 30) + random % 4'000'000,
                             (key64{1} << 20) + (random >> 24)};
    keys.push_back(static_cast<Key>(of_kind[kind]));
  }
  return keys;
}
template <class Key, class F> void each_keys(F const& f) {
  for (int kind = 0; kind != kinds; ++kind)
    for (index_t n : {0, 1, 2, 47, 48, 100, 2048, 140000}) {
      INFO("kind " << kind << ", " << n << " keys of " << sizeof(Key) << " bytes");
      auto const keys = keys_of<Key>(kind, n);
      auto sorted = keys;
      std::sort(sorted.begin(), sorted.end());
      f(keys, sorted);
    }
}
template <class Key> void check_keys() {
  each_keys<Key>([](std::vector<Key> const& keys, std::vector<Key> const& sorted) {
    auto const n = static_cast<index_t>(keys.size());
    std::vector<Key> own = keys, scratch(keys.size());
    detail::sort_keys(own.data(), scratch.data(), n);
    CHECK((own == sorted));
    for (index_t k : {index_t{0}, n / 3, n - 1}) {
      if (k < 0 || k >= n) continue;
      own = keys;
      CHECK(detail::nth_key(own.data(), scratch.data(), n, k) == sorted[std::size_t(k)]);
    }
  });
}
/// The first keys are below the others, or equal, and all keys are there.
template <class Key> void check_partition(detail::partition_function<Key> partition) {
  each_keys<Key>([&](std::vector<Key> const& keys, std::vector<Key> const& sorted) {
    if (keys.empty()) return;
    for (bool const equal_first : {false, true}) {
      detail::partition_by<Key> const by{keys[keys.size() / 2], equal_first};
      std::vector<Key> to(keys.size());
      index_t const first =
          partition(keys.data(), to.data(), static_cast<index_t>(keys.size()), by);
      auto const middle = to.begin() + first;
      CHECK(std::all_of(to.begin(), middle, [&](Key k) { return by.is_first(k); }));
      CHECK(std::none_of(middle, to.end(), [&](Key k) { return by.is_first(k); }));
      std::sort(to.begin(), to.end());
      CHECK((to == sorted));
    }
  });
}

}  // namespace

TEST_CASE("sort_keys sorts and nth_key selects") {
  check_keys<key32>();
  check_keys<key64>();
}

TEST_CASE("partitions of each level put the first keys first") {
  check_partition<key32>(detail::partition_keys<key32>);
  check_partition<key64>(detail::partition_keys<key64>);
  if constexpr (PLACEMENT_X86_LEVEL != 0) {
    if (detail::cpu_level_of_machine() == detail::cpu_level::baseline) return;
    check_partition<key32>(detail::partition_for_avx2<key32>);
    check_partition<key64>(detail::partition_for_avx2<key64>);
    if (detail::cpu_level_of_machine() != detail::cpu_level::avx512) return;
    check_partition<key32>(detail::partition_for_avx512<key32>);
    check_partition<key64>(detail::partition_for_avx512<key64>);
  }
}

TEST_CASE("after many partitions the range of keys is halved") {
  for (int kind = 0; kind != 5; ++kind) {
    auto const keys = keys_of<key32>(kind, 1000);
    auto const [low, high] = std::minmax_element(keys.begin(), keys.end());
    std::vector<key32> to(keys.size());
    auto const first = detail::key_partitions<key32>().run(keys.data(), to.data(), 1000, 1000);
    CHECK(first.is_equal == (*low == *high));
    for (std::size_t i = 0; i != to.size(); ++i)
      CHECK((to[i] - *low <= (*high - *low) / 2) == (i < std::size_t(first.size)));
  }
}

TEST_CASE("numbered and keyed items keep the order of equal keys") {
  std::vector<key64> numbered, by_number(3000);
  std::vector<detail::keyed_index> items, scratch(3000);
  for (index_t i = 0; i != 3000; ++i) {
    numbered.push_back(key64(i * 7 % 10) << 32 | key64(i));
    items.push_back({key64(i * 7 % 10), i});
  }
  detail::sort_numbered(numbered.data(), by_number.data(), 3000);
  CHECK(std::is_sorted(numbered.begin(), numbered.end()));
  detail::sort_keyed(items.data(), scratch.data(), 3000);
  for (std::size_t i = 0; i != items.size(); ++i)
    CHECK((items[i].key << 32 | key64(items[i].index)) == numbered[i]);
}
