// What placement::cub leaves to kernels of the library, run by loops on the host: counts, ranges,
// bins, and slices at indices.
#include <placement/gpu/select.hpp>
#include <placement/ops/complex.hpp>

#include <support/host_grid.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace placement;
using emulated::host_grid;

namespace {

template <class T> gpu_elements elements_in(std::vector<T> const& v) {
  return placement::detail::elements_on_gpu(v.data(), static_cast<index_t>(v.size()));
}
template <class Rule> placement::detail::reduction_state reduced(Rule const& rule, int* launches) {
  std::vector<placement::detail::reduction_state> states(enough_blocks + 1);
  placement::detail::reduce_steps_of(host_grid{launches}, rule, states.data());
  return states[0];
}
template <class T> index_t nonzero_in(gpu_elements const& x) {
  int launches = 0;
  auto const count = reduced(placement::detail::count_nonzero_rule(x), &launches).a;
  CHECK(launches == 2);
  return static_cast<index_t>(count);
}

/// n elements, of which each third is zero: every other one of these is -0 if T has it.
template <class T> std::vector<T> with_zeros(index_t n) {
  std::vector<T> all;
  for (index_t i = 0; i != n; ++i)
    all.push_back(i % 3 == 0 ? static_cast<T>(i % 2 == 0 ? 0.f : -0.f)
                             : static_cast<T>(static_cast<float>(i % 100 + 1)));
  return all;
}
template <class T> void check_counts() {
  for (index_t const n : {1, 7, 8, 9, 300, 5003}) {
    INFO(element_name<T>() << ", " << n);
    auto const x = with_zeros<T>(n);
    CHECK(nonzero_in<T>(elements_in(x)) == n - (n + 2) / 3);
    auto const flag = placement::detail::nonzero_elements(elements_in(x));
    for (index_t i = 0; i != n; ++i) CHECK(flag(i) == (i % 3 != 0));
  }
}

}  // namespace

TEST_CASE("elements that are not zero are counted by their bits, for each type") {
  check_counts<std::int8_t>();
  check_counts<std::uint16_t>();
  check_counts<int>();
  check_counts<std::uint64_t>();
  check_counts<float16>();
  check_counts<bfloat16>();
  check_counts<float>();
  check_counts<double>();
  std::vector<float> const nan{std::numeric_limits<float>::quiet_NaN(),
                               std::numeric_limits<float>::denorm_min(), 0.f};
  CHECK(nonzero_in<float>(elements_in(nan)) == 2);
  std::vector<std::complex<double>> const complex{{0, 0}, {0, 1}, {1, 0}, {-0.0, -0.0}};
  CHECK(nonzero_in<std::complex<double>>(elements_in(complex)) == 2);
}

TEST_CASE("bytes are counted by words, and one by one where they are not aligned") {
  std::vector<std::uint8_t> all(2000);
  for (std::size_t i = 0; i != all.size(); ++i) all[i] = static_cast<std::uint8_t>(i % 257);
  for (index_t const first : {0, 1, 5}) {
    gpu_elements const x{sort_element::u8, 1, 1500, all.data() + first};
    index_t expected = 0;
    for (index_t i = first; i != first + 1500; ++i)
      expected += all[static_cast<std::size_t>(i)] != 0 ? 1 : 0;
    CHECK(nonzero_in<std::uint8_t>(x) == expected);
  }
  alignas(8) std::uint8_t const bytes[]{0x80, 0x7f, 1, 0xff, 0, 2, 0, 0};
  CHECK(nonzero_in<std::uint8_t>({sort_element::u8, 1, 8, bytes}) == 5);
}

TEST_CASE("the range of numbers has both ends, and NaN is its upper one") {
  auto const range = []<class T>(std::vector<T> const& v) {
    int launches = 0;
    gpu_elements const x = elements_in(v);
    placement::detail::range_rule const rule{{x.data, x.element}, x.n};
    return rule.range_of(reduced(rule, &launches));
  };
  auto const r = range(std::vector<float>{3, -2.5f, 7, 0});
  CHECK(r.low == -2.5);
  CHECK(r.high == 7);
  auto const one = range(std::vector<std::int64_t>{-5});
  CHECK((one.low == -5 && one.high == -5));
  std::vector<std::uint8_t> bytes(70'000, 9);
  bytes[66'000] = 200;
  bytes[69'999] = 2;
  auto const wide = range(bytes);
  CHECK((wide.low == 2 && wide.high == 200));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(range(std::vector<double>{1, -nan, 2}).high));
  CHECK(range(std::vector<double>{1, -HUGE_VAL}).low == -HUGE_VAL);
  CHECK(range(std::vector<float16>{float16(2.f), float16(-1.f)}).low == -1);
  CHECK(range(std::vector<bfloat16>{bfloat16(2.f), bfloat16(-1.f)}).high == 2);
}

TEST_CASE("the largest integer is known only if all can be counted") {
  auto const largest = []<class T>(std::vector<T> const& v) {
    int launches = 0;
    gpu_elements const x = elements_in(v);
    return reduced(placement::detail::largest_rule{{x.data, x.element}, x.n}, &launches).a;
  };
  using u64 = std::uint64_t;
  CHECK(largest(std::vector<std::int8_t>{3, 0, 127}) == 127);
  CHECK(largest(std::vector<std::uint8_t>{3, 255}) == 255);
  CHECK(largest(std::vector<std::uint16_t>{65535}) == 65535);
  CHECK(largest(std::vector<unsigned>{4'000'000'000u}) == 4'000'000'000u);
  CHECK(largest(std::vector<std::int16_t>{3, -1}) == select_engine::not_countable);
  CHECK(largest(std::vector<int>{-7, 3}) == select_engine::not_countable);
  CHECK(largest(std::vector<u64>{~u64{0} / 2 - 1}) == ~u64{0} / 2 - 1);
  CHECK(largest(std::vector<u64>{~u64{0} / 2}) == select_engine::not_countable);
  CHECK(largest(std::vector<u64>{~u64{0} / 2 + 1}) == select_engine::not_countable);
  CHECK(largest(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()}) ==
        select_engine::not_countable);
}

TEST_CASE("an element is in the bin whose edges are around it") {
  std::vector<float> const x{-1.f, 0.f, 0.3f, 1.f, 1.1f, std::nanf("")};
  double const edges[]{0, 0.25, 0.5, 0.75, 1};
  gpu_elements const e = elements_in(x);
  equal_bins const bins{0, 1, 4, edges};
  placement::detail::bin_of_element const bin{{e.data, e.element}, bins, bins.scale(), false};
  index_t const expected[]{-1, 0, 1, 3, -1, -1};
  for (index_t i = 0; i != 6; ++i) CHECK(bin(i) == expected[i]);
  std::vector<std::uint16_t> const n{0, 9};
  gpu_elements const integers = elements_in(n);
  placement::detail::bin_of_element const own{{integers.data, integers.element}, {}, 1, true};
  CHECK((own(0) == 0 && own(1) == 9));
}

TEST_CASE("slices at indices are copied in words of every size") {
  for (index_t const after : {1, 2, 3, 4, 8, 24}) {
    INFO("slices of " << after << " bytes");
    index_t const before = 3, n = 5;
    alignas(8) std::uint8_t in[3 * 5 * 24], out[3 * 2 * 24 + 8];
    for (std::size_t i = 0; i != sizeof(in); ++i) in[i] = static_cast<std::uint8_t>(i);
    for (std::uint8_t& b : out) b = 0xee;
    std::int64_t const indices[]{1, 4};
    placement::detail::gather_all(host_grid{}, {nullptr, n, 2, before, after, 1, in, out}, indices);
    bool all = true;
    for (index_t b = 0; b != before; ++b)
      for (index_t i = 0; i != 2; ++i)
        for (index_t a = 0; a != after; ++a)
          all = all && out[(b * 2 + i) * after + a] == in[(b * n + indices[i]) * after + a];
    CHECK(all);
    CHECK(out[before * 2 * after] == 0xee);
  }
  std::int64_t const numbers[]{0, 7, 59};
  std::int64_t out[3];
  placement::detail::for_each_index(host_grid{}, 3,
                                    placement::detail::write_coordinates{numbers, 5, 4, out});
  CHECK((out[0] == 0 && out[1] == 1 && out[2] == 3));
}
