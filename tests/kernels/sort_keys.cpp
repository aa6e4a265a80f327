// Sorted keys and numbers, and the nth key, against std::sort: by each partition and network that
// this machine has.
#include <placement/cpu/sort_keys.hpp>
#include <placement/cpu/sort_numbers.hpp>
#include <placement/placement.hpp>
#include <placement/src/cpu/sort_keys.ipp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
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
    for (index_t n : {0, 1, 2, 47, 48, 100, 129, 257, 1000, 2048, 140000}) {
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
/// Keys below the pivot and the others, each in their order; also if one result replaces the keys.
template <class Key>
void check_partition(detail::partition_function<Key, detail::read_keys> partition) {
  each_keys<Key>([&](std::vector<Key> const& keys, std::vector<Key> const&) {
    if (keys.empty()) return;
    Key const pivot = keys[keys.size() / 2];
    auto const n = static_cast<index_t>(keys.size());
    std::vector<Key> below, others;
    for (Key const k : keys) (k < pivot ? below : others).push_back(k);
    for (int const replaced : {0, 1, 2}) {
      std::vector<Key> from = keys, low(keys.size()), high(keys.size());
      Key* const to = replaced == 1 ? from.data() : low.data();
      Key* const other = replaced == 2 ? from.data() : high.data();
      index_t const count = partition(from.data(), to, other, n, pivot, {});
      REQUIRE(count == static_cast<index_t>(below.size()));
      CHECK(std::equal(below.begin(), below.end(), to));
      CHECK(std::equal(others.begin(), others.end(), other));
    }
  });
}

/// A partition function of a class template, and the one that reads numbers.
template <class Key> struct level {
  detail::partition_function<Key, detail::read_keys> partition;
  detail::partition_function<Key, detail::read_numbers<Key>> partition_numbers;
};
template <class Key> std::vector<level<Key>> levels_of_machine() {
  using numbers = detail::read_numbers<Key>;
  std::vector<level<Key>> all{{detail::partition_for_file<Key, detail::read_keys>,
                               detail::partition_for_file<Key, numbers>}};
  if constexpr (PLACEMENT_X86_LEVEL != 0) {
    if (detail::cpu_level_of_machine() != detail::cpu_level::baseline)
      all.push_back({detail::partition_for_avx2<Key, detail::read_keys>,
                     detail::partition_for_avx2<Key, numbers>});
    if (detail::cpu_level_of_machine() == detail::cpu_level::avx512)
      all.push_back({detail::partition_for_avx512<Key, detail::read_keys>,
                     detail::partition_for_avx512<Key, numbers>});
  }
  return all;
}

}  // namespace

TEST_CASE("sort_keys sorts and nth_key selects") {
  check_keys<key32>();
  check_keys<key64>();
}

TEST_CASE("of many keys those that are wanted are sorted") {
  each_keys<key32>([](std::vector<key32> const& keys, std::vector<key32> const& sorted) {
    for (std::size_t const part : {1u, 2u, 100u}) {
      std::vector<key32> own = keys, scratch(keys.size());
      std::size_t const wanted = keys.size() / part;
      detail::sort_keys(own.data(), scratch.data(), static_cast<index_t>(keys.size()),
                        static_cast<index_t>(wanted));
      CHECK(std::equal(own.begin(), own.begin() + static_cast<index_t>(wanted), sorted.begin()));
    }
  });
}

TEST_CASE("partitions of each level keep keys below the pivot and the others in order") {
  for (auto const& each : levels_of_machine<key32>()) check_partition<key32>(each.partition);
  for (auto const& each : levels_of_machine<key64>()) check_partition<key64>(each.partition);
}

namespace {

template <class Key>
void check_network(void (*sort)(Key const*, Key*, index_t, detail::key_form<Key> const&),
                   index_t most) {
  for (int kind = 0; kind != kinds; ++kind)
    for (index_t n = 0; n <= most; ++n) {
      INFO("kind " << kind << ", " << n << " keys of " << sizeof(Key) << " bytes");
      auto keys = keys_of<Key>(kind, n + 1);  // the last one is beyond the end
      auto sorted = keys;
      std::sort(sorted.begin(), sorted.end() - 1);
      auto apart = keys;
      sort(keys.data(), apart.data(), n, {});
      CHECK((apart == sorted));
      sort(keys.data(), keys.data(), n, {});
      CHECK((keys == sorted));
    }
}

}  // namespace

TEST_CASE("networks of each level sort any number of keys that they have registers for") {
  if constexpr (PLACEMENT_HAS_LEVELS) {
    if (detail::cpu_level_of_machine() == detail::cpu_level::baseline) return;
    check_network<key32>(detail::sort_for_avx2<key32>, 128);
    check_network<key64>(detail::sort_for_avx2<key64>, 64);
    if (detail::cpu_level_of_machine() != detail::cpu_level::avx512) return;
    check_network<key32>(detail::sort_for_avx512<key32>, 256);
    check_network<key64>(detail::sort_for_avx512<key64>, 128);
  }
}

namespace {

/// n numbers: random ones of both signs, among them zeros of both signs, infinities, and NaN of
/// several bits.
template <class T> std::vector<T> numbers_of(index_t n) {
  using key = std::conditional_t<sizeof(T) == 4, key32, key64>;
  std::vector<T> numbers;
  for (key64 const random : keys_of<key64>(0, n)) {
    auto const bits = static_cast<key>(random);
    T x;
    std::memcpy(&x, &bits, sizeof x);
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T infinity = std::numeric_limits<T>::infinity();
      T const of_random[] = {T(0), -T(0), infinity, -infinity, x, -x, T(1), -T(1)};
      if (random >> 60 != 0) x = of_random[random >> 40 & 7];
      else x = std::numeric_limits<T>::quiet_NaN() * (random >> 59 & 1 ? T(1) : -T(1));
    }
    numbers.push_back(x);
  }
  return numbers;
}
/// Sorts each column of a matrix by std::sort of row numbers, which is stable here.
template <class T> std::vector<T> sorted_columns(std::vector<T> x, index_t columns, bool down) {
  index_t const n = static_cast<index_t>(x.size()) / columns;
  for (index_t c = 0; c != columns; ++c) {
    std::vector<std::pair<T, index_t>> column;
    for (index_t i = 0; i != n; ++i) column.push_back({x[std::size_t(i * columns + c)], i});
    std::sort(column.begin(), column.end(), [&](auto const& a, auto const& b) {
      bool const nan_a = a.first != a.first, nan_b = b.first != b.first;
      if (nan_a != nan_b) return nan_b;
      if (nan_a || a.first == b.first) return a.second < b.second;
      return down ? a.first > b.first : a.first < b.first;
    });
    for (index_t i = 0; i != n; ++i) x[std::size_t(i * columns + c)] = column[std::size_t(i)].first;
  }
  return x;
}
template <class T> void check_numbers() {
  for (bool const down : {false, true})
    for (index_t const columns : {1, 2, 3, 5, 8, 15, 16})
      for (index_t const n : {0, 1, 7, 15, 16, 17, 33, 100, 257, 1000, 5000}) {
        if (n > 1000 && columns > 1) continue;
        if (columns > detail::numbers_of_line(sizeof(T))) continue;
        INFO(sizeof(T) << " bytes, " << n << " rows, " << columns << " columns, down " << down);
        detail::number_order const order{
            sizeof(T), detail::kind_of_number<T>,
            down ? detail::sort_direction::descending : detail::sort_direction::ascending};
        auto const in = numbers_of<T>(n * columns);
        auto const sorted = sorted_columns(in, columns, down);
        std::vector<T> out(in.size()), scratch(static_cast<std::size_t>((2 + columns) * n));
        if (columns == 1) detail::sort_numbers(out.data(), in.data(), scratch.data(), n, order);
        else
          detail::sort_columns(out.data(), in.data(), scratch.data(), n, columns, columns, order);
        CHECK((n == 0 || std::memcmp(out.data(), sorted.data(), out.size() * sizeof(T)) == 0));
      }
}

}  // namespace

TEST_CASE("numbers and columns of them are sorted stably, with the bits of zeros and NaN") {
  check_numbers<float>();
  check_numbers<double>();
  check_numbers<int>();
  check_numbers<long long>();
  check_numbers<unsigned>();
  check_numbers<unsigned long long>();
}

namespace {

/// Keys are those of ops/sort_key.hpp, of which the lost bits are reported.
template <class T, class Key> void check_read_numbers(level<Key> const& each) {
  for (bool const down : {false, true})
    for (index_t const n : {0, 1, 3, 15, 16, 17, 100}) {
      std::vector<T> numbers = numbers_of<T>(n);
      for (bool const has_special : {true, false}) {
        if (!has_special)
          for (T& x : numbers) x = x == x && x != T{} ? x : T{1};
        detail::key_form<Key> const form(
            {sizeof(T), detail::kind_of_number<T>,
             down ? detail::sort_direction::descending : detail::sort_direction::ascending});
        std::vector<Key> in(numbers.size()), low(in), keys(in), back(in);
        if (n != 0) std::memcpy(in.data(), numbers.data(), in.size() * sizeof(Key));
        bool loses_bits = false, expected = false;
        CHECK(each.partition_numbers(in.data(), low.data(), keys.data(), n, 0,
                                     {form, loses_bits}) == 0);
        for (std::size_t i = 0; i != in.size(); ++i) {
          T const x = numbers[i];
          CHECK(keys[i] == (down ? detail::descending_key<T>::of(x) : detail::sort_key<T>::of(x)));
          if (x == x) CHECK(form.number_of(keys[i]) == in[i]);
          if constexpr (std::is_floating_point_v<T>)
            expected = expected || x != x || (x == T{} && std::signbit(x));
        }
        CHECK(loses_bits == expected);
      }
    }
}

}  // namespace

TEST_CASE("a partition of each level reads numbers as keys") {
  for (auto const& each : levels_of_machine<key32>()) {
    check_read_numbers<float>(each);
    check_read_numbers<int>(each);
    check_read_numbers<unsigned>(each);
  }
  for (auto const& each : levels_of_machine<key64>()) {
    check_read_numbers<double>(each);
    check_read_numbers<long long>(each);
  }
}

TEST_CASE("the different numbers, and the first ones, are those of all sorted numbers") {
  using limits = std::numeric_limits<float>;
  for (index_t const n : {0, 1, 16, 17, 250, 300, 5000}) {
    auto const in = numbers_of<float>(n);
    auto const size = static_cast<std::size_t>(n);
    detail::number_order const order{4, detail::number_kind::floating_point,
                                     detail::sort_direction::ascending};
    std::vector<float> sorted = in, unique, out(size), keys(2 * size);
    std::sort(sorted.begin(), sorted.end(),
              [](float a, float b) { return a < b || (a == a && b != b); });
    for (float const x : sorted)
      if (unique.empty() || (x == x ? x != unique.back() : unique.back() == unique.back()))
        unique.push_back(x);
    index_t const count = detail::unique_numbers(out.data(), keys.data(), in.data(), n, order);
    REQUIRE(count == static_cast<index_t>(unique.size()));
    for (std::size_t i = 0; i != unique.size(); ++i) {
      CHECK((out[i] == unique[i] || (out[i] != out[i] && unique[i] != unique[i])));
      CHECK((out[i] != 0 || !std::signbit(out[i])));
    }
    out.assign(size, limits::max());
    detail::first_numbers(out.data(), in.data(), keys.data(), n, n / 2, order);
    for (std::size_t i = 0; i != size; ++i) {
      float const expected = i < size / 2 ? sorted[i] : limits::max();
      CHECK((out[i] == expected || (out[i] != out[i] && expected != expected)));
    }
  }
}

TEST_CASE("after many partitions the range of keys is halved") {
  constexpr detail::key_range<key32> range{10, 13};
  STATIC_CHECK(range.half() == 12);
  STATIC_CHECK(range.below(12).half() == 11);
  STATIC_CHECK(range.from(13).is_one_key());
  STATIC_CHECK(detail::key_range<key32>{}.half() == key32{1} << 31);
  each_keys<key32>([](std::vector<key32> const& keys, std::vector<key32> const& sorted) {
    std::vector<key32> own = keys, scratch(keys.size());
    auto const n = static_cast<index_t>(keys.size());
    detail::range_sorter<key32>().sort(own.data(), own.data(), scratch.data(), n, n, {}, 1000);
    CHECK((own == sorted));
  });
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
