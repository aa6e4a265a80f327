// Full reductions, reductions along each axis, and ops over rows, against the CPU or against
// double.
#include <placement/placement.hpp>

#include <support/both_devices.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
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

/// The elements of a tensor in double, divided into those of each result along `axis` of three, or
/// all as one if axis is 3.
std::vector<std::vector<double>> in_groups(tensor<float, dextents<3>> const& x, std::size_t axis) {
  auto const values = x.read();
  index_t const e[3] = {x.shape().n[0], x.shape().n[1], x.shape().n[2]};
  index_t const before = axis > 1 ? e[0] * e[1] : axis == 1 ? e[0] : 1;
  index_t const after = axis == 0 ? e[1] * e[2] : axis == 1 ? e[2] : 1;
  auto const count = axis == 3 ? std::size_t{1} : static_cast<std::size_t>(before * after);
  std::vector<std::vector<double>> all(count);
  for (std::size_t i = 0; i != values.size(); ++i) {
    auto const at = static_cast<index_t>(i);
    index_t const group = axis == 3   ? 0
                          : axis == 2 ? at / e[2]
                                      : at / (e[axis] * after) * after + at % after;
    all[static_cast<std::size_t>(group)].push_back(static_cast<double>(values[i]));
  }
  return all;
}
/// The float nearest to a number is within this part of it.
constexpr double eps = 0x1p-23;

/// What a reduction of some elements is, and how far a result may be from it.
struct expectation {
  double value, error;
};
/// The bound that sum() states for float.
expectation expected_sum(std::vector<double> const& x) {
  double sum = 0, magnitudes = 0;
  for (double const one : x) {
    sum += one;
    magnitudes += std::abs(one);
  }
  return {sum, (5 * eps + static_cast<double>(x.size()) * 0x1p-53) * magnitudes};
}
/// The bound that mean() states for float, and the rounding of the result.
expectation expected_mean(std::vector<double> const& x) {
  expectation const sum = expected_sum(x);
  auto const n = static_cast<double>(x.size());
  return {sum.value / n, sum.error / n};
}
/// By two passes. Each result is rounded to float, and little else is lost in double.
expectation expected_variance(std::vector<double> const& x) {
  double const mean = expected_mean(x).value;
  double squares = 0;
  for (double const one : x) squares += (one - mean) * (one - mean);
  double const variance = squares / static_cast<double>(x.size());
  return {variance, eps * variance};
}
expectation expected_std_dev(std::vector<double> const& x) {
  double const std_dev = std::sqrt(expected_variance(x).value);
  return {std_dev, eps * std_dev};
}

/// Lists the results that are farther from what is expected than allowed. Empty if there are none.
template <class X>
std::string beyond_bounds(tensor<float, X> const& got,
                          std::vector<std::vector<double>> const& groups,
                          expectation (*expected)(std::vector<double> const&)) {
  auto const g = got.read();
  if (g.size() != groups.size()) return "another number of results";
  std::string text;
  for (std::size_t i = 0; i != g.size() && text.size() < 400; ++i) {
    expectation const e = expected(groups[i]);
    auto const result = static_cast<double>(g[i]);
    if (!(std::abs(result - e.value) <= e.error) && !(result != result && e.value != e.value))
      text += "[" + std::to_string(i) + "] is " + std::to_string(result) + ", not " +
              std::to_string(e.value) + " within " + std::to_string(e.error) + "\n";
  }
  return text;
}
/// Reduces x in full and along each axis, on the CPU and on a GPU.
template <class Reduce>
void check_bounds(tensor<float, dextents<3>> const& x,
                  expectation (*expected)(std::vector<double> const&), Reduce reduce) {
  INFO("shape " << to_string(x.shape()));
  for (device const d : {cpu0, gpu0}) {
    INFO("on " << to_string(d));
    auto const check = [&](std::size_t axis, auto const& compute) {
      INFO("axis " << axis);
      with_device const scope(d);
      tensor const result = compute();
      CHECK(result.where() == d);
      CHECK(beyond_bounds(result, in_groups(x, axis), expected) == "");
    };
    check(3, [&] { return reduce(x); });
    check(0, [&] { return reduce(x, axis<0>); });
    check(1, [&] { return reduce(x, axis<1>); });
    check(2, [&] { return reduce(x, axis<2>); });
  }
}
/// Numbers of both signs, and far from 0.
template <class Check> void for_some_tensors(bool of_none, Check const& check) {
  for (auto const& s : shapes) {
    if (s.count() == 0 && !of_none) continue;
    for (float offset : {0.f, 8.f, 1e5f}) {
      INFO("around " << offset);
      with_device const scope(cpu0);
      tensor<float, dextents<3>> const x = plain_tensor<float>(s) + offset;
      check(x);
    }
  }
}

}  // namespace

TEST_CASE("sums and means of float are within the bound that they state, on a GPU and on the CPU",
          "[small]") {
  need_gpu();
  for_some_tensors(true, [](auto const& x) {
    check_bounds(x, &expected_sum, [](auto const&... a) { return sum(a...); });
  });
  for_some_tensors(false, [](auto const& x) {
    check_bounds(x, &expected_mean, [](auto const&... a) { return mean(a...); });
  });
}

TEST_CASE("sums of a fused product of float are within the bound, too") {
  need_gpu();
  auto const x = plain_tensor<float>(shape(257, 9, 33));
  tensor<float, dextents<3>> const squares = on("/cpu:0", x * x);
  for (device const d : {cpu0, gpu0}) {
    with_device const scope(d);
    tensor const all = sum(x * x);
    tensor const rows = sum(x * x, axis<1>);
    CHECK(beyond_bounds(all, in_groups(squares, 3), &expected_sum) == "");
    CHECK(beyond_bounds(rows, in_groups(squares, 1), &expected_sum) == "");
  }
}

TEST_CASE("at most sixteen floats are added in float, so a large one takes few others with it") {
  need_gpu();
  std::vector<float> ones(1 << 20, 1.f);
  ones[0] = 0x1p40f;
  ones.back() = -0x1p40f;
  tensor const x = from(ones, shape(1 << 20));
  for (device const d : {cpu0, gpu0}) {
    with_device const scope(d);
    float const left = item(sum(x));
    CHECK(left >= (1 << 20) - 2 * 16);
    CHECK(left <= 1 << 20);
  }
}

TEST_CASE("sums of integers match the CPU") {
  need_gpu();
  check_reduce<int>(0, true, [](auto const&... a) { return sum(a...); });
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

TEST_CASE("variances and standard deviations of float match two passes in double", "[small]") {
  need_gpu();
  for_some_tensors(false, [](auto const& x) {
    check_bounds(x, &expected_variance, [](auto const&... a) { return variance(a...); });
    check_bounds(x, &expected_std_dev, [](auto const&... a) { return std_dev(a...); });
  });
}

TEST_CASE("the variance of equal numbers is 0") {
  need_gpu();
  tensor<float, dextents<3>> const x = on("/cpu:0", constant(0.1f, shape(3, 1031, 257)));
  for (device const d : {cpu0, gpu0}) {
    with_device const scope(d);
    CHECK(item(variance(x)) == 0);
    CHECK(item(max(std_dev(x, axis<1>))) == 0);
  }
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
  for (index_t const columns : {8200, 16'384, 20'000, 32'768, 33'000}) {
    INFO("columns " << columns);
    auto const x = plain_tensor<float>(shape(2, columns));
    check_expression(64, [&] { return softmax(x); });
  }
}
