// all_reduce: the bits of add_n on every device, by every algorithm; copies, log lines, errors.
#include <placement/parallel/all_reduce.hpp>
#include <placement/placement.hpp>

#include <support/gpus.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace placement;
using namespace placement::parallel;

namespace {

/// The simulated GPUs, and CPU:0 behind them: at least one device.
std::vector<device> all_devices() {
  std::vector<device> all;
  for (int i = 0; i != gpus_of_test(); ++i) all.push_back({kind::gpu, i});
  all.push_back(cpu0);
  return all;
}

/// One vector of n random elements for each of the first `count` devices.
template <class T>
std::vector<tensor<T, dextents<1>>> operands_on(std::vector<device> const& where, std::size_t count,
                                                std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-100, 100);
  std::vector<tensor<T, dextents<1>>> x;
  for (std::size_t k = 0; k != count; ++k) {
    std::vector<T> values(n);
    for (T& v : values) v = static_cast<T>(static_cast<float>(number(random)));
    x.push_back(copy_to(where[k], from(values, shape(static_cast<index_t>(n)))));
  }
  return x;
}

/// The bytes of a tensor, in host memory.
template <class T, class X> std::string bytes_of(tensor<T, X> const& x) {
  auto const host = x.read();
  std::string bytes(x.size() * sizeof(T), '\0');
  if (x.size() != 0) std::memcpy(bytes.data(), host.data(), bytes.size());
  return bytes;
}

template <class T>
std::string expected_bytes(std::vector<tensor<T, dextents<1>>> const& x, reduction r) {
  with_device const here("/cpu:0");
  tensor<T, dextents<1>> sum = add_n(x);
  if constexpr (!std::is_integral_v<T>) {
    if (r == reduction::mean && x.size() != 1)
      sum = tensor(sum / static_cast<T>(static_cast<float>(x.size())));
  }
  return bytes_of(sum);
}

constexpr all_reduce_algorithm in_order[]{
    all_reduce_algorithm::by_size, all_reduce_algorithm::one_device, all_reduce_algorithm::scatter};

template <class T> void check_bits(std::size_t n, unsigned seed) {
  std::vector<device> const where = all_devices();
  for (std::size_t count = 1; count <= where.size(); ++count) {
    auto const x = operands_on<T>(where, count, n, seed);
    for (reduction const r : {reduction::sum, reduction::mean}) {
      if (std::is_integral_v<T> && r == reduction::mean) continue;
      std::string const expected = expected_bytes(x, r);
      for (all_reduce_algorithm const how : in_order) {
        INFO(element_name<T>() << ' ' << n << " elements, " << count << " devices, algorithm "
                               << static_cast<int>(how) << ", reduction " << static_cast<int>(r));
        auto const y = all_reduce(x, r, how);
        REQUIRE(y.size() == count);
        for (std::size_t k = 0; k != count; ++k) {
          CHECK(y[k].where() == where[k]);
          CHECK(bytes_of(y[k]) == expected);
        }
      }
      auto const ring = all_reduce(x, r, {fast, all_reduce_algorithm::ring});
      for (std::size_t k = 1; k < count; ++k) CHECK(bytes_of(ring[k]) == bytes_of(ring[0]));
      if (count <= 2) CHECK(bytes_of(ring[0]) == expected);
    }
  }
}

}  // namespace

TEST_CASE("all_reduce has the bits of add_n on every device, by every algorithm") {
  std::mt19937 random(7);
  for (unsigned seed = 0; seed != 4; ++seed) {
    std::size_t const n = random() % 3000;
    check_bits<float>(n, seed);
    check_bits<double>(n, seed);
    check_bits<std::int32_t>(n, seed);
    check_bits<float16>(n, seed);
  }
  for (std::size_t const n : {0u, 1u, 3u, 16u, 17u, 65u, 70'001u}) check_bits<float>(n, 1);
  check_bits<std::int8_t>(100, 1);
  check_bits<bfloat16>(100, 1);
}

TEST_CASE("all_reduce keeps shapes and operands") {
  std::vector<device> const where = all_devices();
  std::vector<tensor<float, extents<2, 3>>> fixed;
  std::vector<tensor<float, dextents<2>>> free;
  for (std::size_t k = 0; k != where.size(); ++k) {
    float const v = static_cast<float>(k + 1);
    fixed.push_back(copy_to(where[k], tensor<float, extents<2, 3>>{{v, 2, 3}, {4, 5, 6}}));
    free.push_back(copy_to(where[k], tensor{{v, 2.f}, {3.f, 4.f}, {5.f, 6.f}}));
  }
  for (all_reduce_algorithm const how : in_order) {
    auto const a = all_reduce(fixed, reduction::sum, how);
    auto const b = all_reduce(free, reduction::mean, how);
    auto const count = static_cast<float>(where.size());
    for (std::size_t k = 0; k != where.size(); ++k) {
      CHECK(a[k](1, 2) == 6 * count);
      CHECK(a[k](0, 0) == count * (count + 1) / 2);
      CHECK(b[k].shape() == shape(3, 2));
      CHECK(b[k](2, 1) == 6);
      CHECK(fixed[k](0, 0) == static_cast<float>(k + 1));
    }
  }
}
