// Full reductions, reductions along each axis, and ops over rows, against the CPU.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <vector>

using namespace placement;

namespace {

std::vector<dextents<3>> const shapes{shape(1, 1, 1),    shape(3, 5, 7), shape(2, 3, 1031),
                                      shape(257, 9, 33), shape(0, 4, 5), shape(1, 70'001, 2)};

/// Checks a full reduction, one along each axis, and one of a product that is fused into it.
template <class T, class Fold> void check_reduce(std::uint64_t ulps, bool of_none, Fold reduce) {
  INFO("element type " << element_name<T>());
  for (auto const& s : shapes) {
    if (s.count() == 0 && !of_none) continue;
    INFO("shape " << to_string(s));
    auto const x = plain_tensor<T>(s);
    check_expression(ulps, [&] { return reduce(x); });
    check_expression(ulps, [&] { return reduce(x * x); });
    check_expression(ulps, [&] { return reduce(x, axis<0>); });
    check_expression(ulps, [&] { return reduce(x, axis<1>); });
    check_expression(ulps, [&] { return reduce(x, axis<2>); });
  }
}

}  // namespace

TEST_CASE("sums and means match the CPU within 4 ulp: float is accumulated in double", "[small]") {
  need_gpu();
  check_reduce<float>(4, true, [](auto const&... a) { return sum(a...); });
  check_reduce<int>(0, true, [](auto const&... a) { return sum(a...); });
  check_reduce<float>(4, true, [](auto const&... a) { return mean(a...); });
}

TEST_CASE("sums and means in double match the CPU, also where float would lose or overflow",
          "[small]") {
  need_gpu();
  check_reduce<float>(4, true, [](auto const&... a) { return sum<double>(a...); });
  check_reduce<int>(4, true, [](auto const&... a) { return mean<float>(a...); });
  std::vector<float> cancelling, beyond;
  for (int i = 0; i != 60'000; ++i) {
    cancelling.push_back(i % 3 == 0 ? 1e8f : i % 3 == 1 ? 1.f : -1e8f);
    beyond.push_back(i % 4 < 2 ? 3e38f : -3e38f);
  }
  tensor const c = from(cancelling, shape(60'000)), b = from(beyond, shape(60'000));
  CHECK(item(on("/gpu:0", sum<double>(c))) == 20'000);
  CHECK(item(on("/gpu:0", mean<double>(b))) == 0);
}

TEST_CASE("max, min, argmax and argmin match the CPU") {
  need_gpu();
  check_reduce<float>(0, false, [](auto const&... a) { return max(a...); });
  check_reduce<std::int64_t>(0, false, [](auto const&... a) { return min(a...); });
  check_reduce<float>(0, false, [](auto const&... a) { return argmax(a...); });
  check_reduce<double>(0, false, [](auto const&... a) { return argmin(a...); });
}

TEST_CASE("max gives NaN if there is one, and argmax gives the first one") {
  need_gpu();
  auto const x = some_tensor<float>(shape(70'001));
  check_expression(0, [&] { return max(x); });
  check_expression(0, [&] { return argmax(x); });
}

TEST_CASE("count_nonzero, all and any match the CPU") {
  need_gpu();
  for (auto const& s : shapes) {
    auto const x = some_tensor<int>(s);
    check_expression(0, [&] { return count_nonzero(x % 3); });
    check_expression(0, [&] { return all(x != 5, axis<1>); });
    check_expression(0, [&] { return any(x == 5); });
  }
}

TEST_CASE("variances match the CPU within some ulps of the mean square") {
  need_gpu();
  auto const x = plain_tensor<float>(shape(257, 1031));
  check_expression(16, [&] { return variance(x); });
  check_expression(16, [&] { return std_dev(x, axis<1>); });
}

TEST_CASE("softmax and log_softmax of rows of any length match the CPU within 16 ulp") {
  need_gpu();
  for (index_t columns : {1, 7, 32, 256, 1000, 1024, 1025, 4096, 32'768, 33'000}) {
    INFO(columns << " columns");
    auto const x = plain_tensor<float>(shape(3, columns));
    check_expression(16, [&] { return softmax(x); });
    check_expression(16, [&] { return log_softmax(x); });
  }
  auto const wide = plain_tensor<double>(shape(5, 1023));
  check_expression(64, [&] { return softmax(wide); });
}
