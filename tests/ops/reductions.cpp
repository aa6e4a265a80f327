// Reductions, against plain loops.
#include <placement/placement.hpp>

#include <support/log_lines.hpp>
#include <support/reductions.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace placement;

namespace {

template <class T> using wide = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
template <class T> using real = std::conditional_t<std::is_integral_v<T>, double, T>;

constexpr auto plain_sum = []<class T>(std::vector<T> const& v) {
  std::conditional_t<std::is_integral_v<T>, std::int64_t, double> sum{};
  for (auto x : v) sum += x;
  return static_cast<wide<T>>(sum);
};
constexpr auto plain_mean = []<class T>(std::vector<T> const& v) {
  double sum = 0;
  for (auto x : v) sum += static_cast<double>(x);
  return static_cast<real<T>>(sum / static_cast<double>(v.size()));
};
constexpr auto plain_prod = []<class T>(std::vector<T> const& v) {
  if constexpr (std::is_integral_v<T>) {
    std::uint64_t product = 1;
    for (auto x : v) product *= static_cast<std::uint64_t>(x);
    return static_cast<std::int64_t>(product);
  } else {
    double product = 1;
    for (auto x : v) product *= static_cast<double>(x);
    return static_cast<T>(product);
  }
};
constexpr auto plain_max = []<class T>(std::vector<T> const& v) {
  return T(*std::max_element(v.begin(), v.end()));
};
constexpr auto plain_min = []<class T>(std::vector<T> const& v) {
  return T(*std::min_element(v.begin(), v.end()));
};
constexpr auto plain_argmax = []<class T>(std::vector<T> const& v) {
  return std::int64_t{std::max_element(v.begin(), v.end()) - v.begin()};
};
constexpr auto plain_argmin = []<class T>(std::vector<T> const& v) {
  return std::int64_t{std::min_element(v.begin(), v.end()) - v.begin()};
};
constexpr auto plain_count = []<class T>(std::vector<T> const& v) {
  return std::int64_t{std::count_if(v.begin(), v.end(), [](T x) { return x != T(0); })};
};
constexpr auto plain_variance = []<class T>(std::vector<T> const& v) {
  double sum = 0, squares = 0;
  for (auto x : v) sum += static_cast<double>(x);
  double const mean = sum / static_cast<double>(v.size());
  for (auto x : v) squares += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
  return static_cast<real<T>>(squares / static_cast<double>(v.size()));
};

constexpr auto op_sum = [](auto const&... a) { return sum(a...); };
constexpr auto op_mean = [](auto const&... a) { return mean(a...); };
constexpr auto op_prod = [](auto const&... a) { return prod(a...); };
constexpr auto op_max = [](auto const&... a) { return max(a...); };
constexpr auto op_min = [](auto const&... a) { return min(a...); };
constexpr auto op_argmax = [](auto const&... a) { return argmax(a...); };
constexpr auto op_argmin = [](auto const&... a) { return argmin(a...); };
constexpr auto op_count = [](auto const&... a) { return count_nonzero(a...); };
constexpr auto op_any = [](auto const&... a) { return any(a...); };
constexpr auto op_all = [](auto const&... a) { return all(a...); };

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The only element of a scalar expression.
template <class E> auto value(E const& e) { return tensor(e).read()(); }
/// A tensor of this shape, which has no elements.
template <class T> tensor<T, dextents<2>> nothing(index_t rows, index_t columns) {
  return tensor_of(std::vector<T>{}, shape(rows, columns));
}

/// Powers of two of both signs, so that products are exact.
template <class T> std::vector<T> powers(std::size_t count) {
  std::vector<T> all;
  for (std::size_t i = 0; i != count; ++i)
    all.push_back(i % 4 == 0 ? T(2) : i % 4 == 1 ? T(-0.5) : i % 4 == 2 ? T(-1) : T(4));
  return all;
}

}  // namespace

namespace {
/// Each day one type of each rule: integers are widened, and each float is combined in a type of
/// its own.
using reduced = types_of_run<elements, types<bool, std::int8_t, float, double>>;
using averaged = types_of_run<elements, types<std::int8_t, float, double>>;
}  // namespace

TEST_CASE("sum adds integers in int64, and floats in their own type") {
  each<reduced>([]<class T>() { check_reduce<T>(op_sum, plain_sum); });
}

TEST_CASE("mean is in double for integers, and in their own type for floats") {
  each<averaged>([]<class T>() { check_reduce<T>(op_mean, plain_mean); });
}

TEST_CASE("prod multiplies integers in int64, which wraps, and floats in double") {
  using multiplied = types_of_run<integers, types<unsigned>>;
  each<multiplied>([]<class T>() { check_reduce<T>(op_prod, plain_prod); });
  check_reduce<bool>(op_prod, plain_prod);
  each<floats>([]<class T>() { check_reduce<T>(op_prod, plain_prod, 0, &powers<T>); });
  tensor const x{std::numeric_limits<std::int64_t>::max(), std::int64_t{2}, std::int64_t{-3}};
  CHECK(value(prod(x)) == 6);  // (2^63 - 1) * 2 = -2 modulo 2^64
}

TEST_CASE("max and min are the largest and smallest elements") {
  each<ordered_elements>([]<class T>() {
    check_reduce<T>(op_max, plain_max);
    check_reduce<T>(op_min, plain_min);
  });
}

TEST_CASE("argmax and argmin are int64 and give the first of equal elements") {
  each<ordered_elements>([]<class T>() {
    check_reduce<T>(op_argmax, plain_argmax);
    check_reduce<T>(op_argmin, plain_argmin);
  });
}

TEST_CASE("count_nonzero counts the elements other than zero") {
  each<moved_elements>([]<class T>() { check_reduce<T>(op_count, plain_count); });
  CHECK(value(count_nonzero(tensor{0., -0., not_a_number, infinity, 1.})) == 3);
}

TEST_CASE("any and all reduce bools") {
  check_reduce<bool>(op_any, [](std::vector<bool> const& v) {
    return std::find(v.begin(), v.end(), true) != v.end();
  });
  check_reduce<bool>(op_all, [](std::vector<bool> const& v) {
    return std::find(v.begin(), v.end(), false) == v.end();
  });
  auto const yes = [](std::size_t n) { return std::vector<bool>(n, true); };
  auto const no = [](std::size_t n) { return std::vector<bool>(n, false); };
  check_reduce<bool>(op_all, [](std::vector<bool> const&) { return true; }, 0, yes);
  check_reduce<bool>(op_any, [](std::vector<bool> const&) { return false; }, 0, no);
  auto const one_at_the_end = [](std::size_t n) {
    std::vector<bool> v(n, false);
    v.back() = true;
    return v;
  };
  check_reduce<bool>(
      op_any, [](std::vector<bool> const& v) { return v.back(); }, 0, one_at_the_end);
}

TEST_CASE("variance is the mean squared distance from the mean, and std_dev its root") {
  each<averaged>([]<class T>() {
    check_reduce<T>([](auto const&... a) { return variance(a...); }, plain_variance, 1e-6);
  });
  using roots = types_of_run<elements, types<unsigned, float>>;
  each<roots>([]<class T>() {
    check_reduce<T>(
        [](auto const&... a) { return std_dev(a...); },
        [](std::vector<T> const& v) { return static_cast<real<T>>(std::sqrt(plain_variance(v))); },
        1e-6);
  });
  // a large offset loses no digits: 1e9 + {0, 1, 2}
  CHECK(std::fabs(value(variance(tensor{1e9, 1e9 + 1, 1e9 + 2})) - 2. / 3) < 1e-9);
}

TEST_CASE("the variance of floats is finite where sums of squares are not floats") {
  std::vector<float> v(3000, 1000.f);
  v[7] = 3e19f;
  CHECK(std::fabs(value(variance(from(v))) / 2.99900004e35f - 1) < 1e-5f);
  std::vector<float> apart(2048);  // those that the center is the mean of lie far from the others
  for (std::size_t i = 0; i != apart.size(); ++i)
    apart[i] = i % 128 == 0 ? 12345.67f : static_cast<float>(i % 7) * .013f;
  double const of_all = plain_variance(apart);
  CHECK(std::fabs(value(variance(from(apart))) - of_all) < 1e-6 * of_all);
  std::vector<float> infinite(3000, 1.f);
  infinite[2000] = std::numeric_limits<float>::infinity();
  CHECK(std::isnan(value(variance(from(infinite)))));
}
TEST_CASE(
    "variance stays accurate with an offset, an outlier or a trend, at any number of elements") {
  for (std::size_t n : {15u, 16u, 63u, 64u, 257u, 2047u, 2048u, 2064u, 4113u, 70001u}) {
    std::vector<double> v(n);
    auto const check = [&](auto element, double within) {
      for (std::size_t i = 0; i != n; ++i) v[i] = element(i);
      double const expected = plain_variance(v);
      CHECK(std::fabs(value(variance(from(v))) - expected) <= within * expected);
    };
    check([](std::size_t i) { return 1e9 + static_cast<double>(i * 37 % 101); }, 1e-9);
    check([](std::size_t i) { return i < 16 ? -1e9 : static_cast<double>(i % 7); }, 1e-9);
    check([](std::size_t i) { return i == 0 ? 1e9 : static_cast<double>(i % 7); }, 1e-9);
    check([](std::size_t i) { return 1e6 + static_cast<double>(i); }, 1e-9);
    for (double same : {0.1, -0x1p1020})
      CHECK(value(variance(from(std::vector<double>(n, same)))) == 0);
    v[n / 2] = infinity;
    CHECK(std::isnan(value(variance(from(v)))));
  }
  CHECK(std::fabs(value(variance(iota(100000, 1e6f))) - 833333333.25f) < 833.f);
}

TEST_CASE("an axis is a number or a type, counts from either end, and can be kept") {
  check_reduce_forms<float>(op_sum, plain_sum);
  check_reduce_forms<std::int8_t>(op_argmin, plain_argmin);
#ifdef PLACEMENT_EVERY_COMBINATION  // the axis is not the op's: one reduction of values, one of
                                    // indices
  check_reduce_forms<int>(op_mean, plain_mean);
  check_reduce_forms<float>(op_max, plain_max);
  check_reduce_forms<float>(op_argmax, plain_argmax);
#endif
}

TEST_CASE("a kept dimension broadcasts over the operand") {
  tensor const x{{1.f, 5.f, 3.f}, {2.f, 4.f, 0.f}};
  CHECK(to_string(tensor(x - max(x, keep_dim(axis<1>)))) == "[[-4 0 -2]\n [-2 0 -4]]");
  CHECK(to_string(tensor(x - mean(x, keep_dim(0)))) == "[[-0.5 0.5 1.5]\n [0.5 -0.5 -1.5]]");
}

TEST_CASE("an axis that does not exist is an error with the rank") {
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
  std::string const message =
      "placement: there is no axis 2 in a tensor of rank 2. Axes are 0 to rank - 1, or -1 for the "
      "last.";
  CHECK(error_of("Mean", [&] { (void)mean(x, 2); }) == message);
  CHECK(error_of("ArgMax", [&] { (void)argmax(x, keep_dim(2)); }) == message);
  CHECK_THROWS_AS(prod(x, -3), shape_error);
  CHECK_THROWS_AS(prod(x, std::int64_t{1} << 32), shape_error);  // 2^32 is 0 in 32 bits
  CHECK(to_string(tensor(prod(x, std::size_t{1}))) == "[2 12]");
  CHECK(to_string(tensor(prod(x, keep_dim(std::int64_t{-2})))) == "[[3 8]]");
  STATIC_CHECK_FALSE(axis_like<double>);
  STATIC_CHECK_FALSE(axis_like<bool>);
}

TEST_CASE("20,000,000 float ones sum to 20,000,000, and int8 sums do not wrap") {
  tensor const ones = constant(1.f, shape(20'000'000));
  on_each_device([&](device) {
    CHECK(value(sum(ones)) == 20'000'000.f);
    CHECK(tensor(sum(reshape(ones, shape(1, 20'000'000)), 1)).read()(0) == 20'000'000.f);
    CHECK(value(mean(ones)) == 1.f);
    tensor const bytes = constant(std::int8_t{127}, shape(1000, 3));
    CHECK(value(sum(bytes)) == 381'000);
    CHECK(to_string(tensor(sum(bytes, 0))) == "[127000 127000 127000]");
    CHECK(value(sum(constant(4'000'000'000u, shape(3)))) == 12'000'000'000);
    CHECK(value(sum(constant(std::numeric_limits<std::int64_t>::max(), shape(2)))) == -2);
  });
}

TEST_CASE(
    "max and min propagate a NaN from any position, and argmax and argmin give the first one") {
  for (index_t n : {1, 2, 7, 8, 9, 64, 100}) {
    for (index_t at : {index_t{0}, n / 2, n - 1}) {
      INFO(n << " elements, NaN at " << at);
      std::vector<double> v(static_cast<std::size_t>(n), 1.);
      v.front() = infinity;
      v[static_cast<std::size_t>(at)] = not_a_number;
      v.back() = at == n - 1 ? not_a_number : -infinity;
      std::int64_t const first =
          std::find_if(v.begin(), v.end(), [](double x) { return x != x; }) - v.begin();
      auto const x = from(v);
      auto const rows = from(v, shape(1, n)), columns = from(v, shape(n, 1));
      CHECK(std::isnan(value(max(x))));
      CHECK(std::isnan(value(min(x))));
      CHECK(value(argmax(x)) == first);
      CHECK(value(argmin(x)) == first);
      CHECK(std::isnan(tensor(max(rows, 1)).read()(0)));
      CHECK(std::isnan(tensor(min(columns, 0)).read()(0)));
      CHECK(tensor(argmax(columns, 0)).read()(0) == first);
      CHECK(tensor(argmin(rows, 1)).read()(0) == first);
    }
  }
}

TEST_CASE("the first of several NaN and of equal infinities is found in any SIMD lane") {
  std::vector<double> v(100, -infinity);
  CHECK(value(argmax(from(v))) == 0);
  CHECK(value(max(from(v))) == -infinity);
  CHECK(value(argmin(from(v))) == 0);
  v[17] = v[18] = v[33] = 3;
  CHECK(value(argmax(from(v))) == 17);
  v[90] = v[45] = v[46] = not_a_number;
  CHECK(value(argmax(from(v))) == 45);
  CHECK(value(argmin(from(v))) == 45);
  CHECK(value(argmax(transpose(from(v, shape(10, 10))))) == 9);  // element 90 is (9, 0)
}

TEST_CASE("sums and means propagate NaN and infinities") {
  CHECK(std::isnan(value(sum(tensor{1., not_a_number, 2.}))));
  CHECK(std::isnan(value(mean(tensor{infinity, -infinity}))));
  CHECK(value(sum(tensor{1., infinity})) == infinity);
  CHECK(std::isnan(value(prod(tensor{0., infinity}))));
  CHECK(std::isnan(value(variance(tensor{1., not_a_number}))));
}

TEST_CASE("reductions of an empty tensor give the identity, and mean and variance NaN") {
  on_each_device([](device) {
    auto const x = nothing<float>(0, 3);
    auto const b = nothing<bool>(0, 3);
    CHECK(value(sum(x)) == 0);
    CHECK(value(prod(x)) == 1);
    CHECK(value(prod(nothing<int>(2, 0))) == 1);
    CHECK(std::isnan(value(mean(x))));
    CHECK(std::isnan(value(mean(nothing<int>(0, 0)))));
    CHECK(std::isnan(value(variance(x))));
    CHECK(value(any(b)) == false);
    CHECK(value(all(b)) == true);
    CHECK(value(count_nonzero(x)) == 0);
    CHECK(to_string(tensor(prod(x, 0))) == "[1 1 1]");
    CHECK(to_string(tensor(prod(nothing<float>(2, 0), 1))) == "[1 1]");
    CHECK(to_string(tensor(all(b, 0))) == "[True True True]");
    CHECK(tensor(sum(x, 1)).shape() == shape(0));
    CHECK(tensor(sum(x, keep_dim(1))).shape() == shape(0, 1));
    CHECK(tensor(sum(x, keep_dim(0))).shape() == shape(1, 3));
  });
}

TEST_CASE("max, min, argmax and argmin of an empty tensor are an error when they are written") {
  auto const x = nothing<float>(0, 3);
  auto message = [](std::string const& op) {
    return "placement: " + op +
           " over no elements of a tensor of shape [0, 3] has no result. Check that what is "
           "reduced is not empty.";
  };
  CHECK(error_of("Max", [&] { (void)max(x); }) == message("Max"));
  CHECK(error_of("Min", [&] { (void)min(x, 0); }) == message("Min"));
  CHECK(error_of("ArgMax", [&] { (void)argmax(x, axis<0>); }) == message("ArgMax"));
  CHECK(error_of("ArgMin", [&] { (void)argmin(x, keep_dim(-2)); }) == message("ArgMin"));
  CHECK(tensor(max(x, 1)).shape() == shape(0));  // a result without elements is valid
  CHECK(tensor(argmin(x, 1)).shape() == shape(0));
}

TEST_CASE("a reduction fuses the ops of its operand, and the ops on its result") {
  tensor const a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}, b{{1.f, 0.f, 1.f}, {2.f, 0.5f, -1.f}};
  on_each_device([&](device) {
    CHECK(value(sum(a * b)) == 1 + 0 + 3 + 8 + 2.5f - 6);
    CHECK(to_string(tensor(mean(a, 1) * 2.f + 1.f)) == "[5 11]");
    CHECK(to_string(tensor(max(a * b, axis<0>) - 1.f)) == "[7 1.5 2]");
    CHECK(value(max(a) + min(b)) == 5);
    CHECK(to_string(tensor(sum(transpose(a) * 2.f, 1))) == "[10 14 18]");
    CHECK(to_string(tensor(sum(slice(a, range{}, range{.step = -2}), 0))) == "[9 5]");
    CHECK(value(any(a > 5.f)) == true);
    CHECK(value(all(a > 1.f)) == false);
    CHECK(value(count_nonzero(a > 2.f)) == 4);
    CHECK(value(argmax(a * -1.f)) == 0);
  });
}
