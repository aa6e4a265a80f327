// The accuracy of sums and means: their documented error bounds on adversarial data, and sums
// accumulated in double.
#include <placement/placement.hpp>

#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace placement;

namespace {

constexpr double eps = 0x1p-23, double_unit = 0x1p-53;
constexpr float largest = std::numeric_limits<float>::max();

/// The pattern repeated to n elements.
template <class T>
std::vector<T> repeated_values(std::vector<double> const& pattern, std::size_t n) {
  std::vector<T> all;
  all.reserve(n);
  for (std::size_t i = 0; i != n; ++i) all.push_back(static_cast<T>(pattern[i % pattern.size()]));
  return all;
}
/// Random signs and magnitudes from 2^-spread to 2^spread. Most terms cancel.
template <class T> std::vector<T> scattered_values(std::size_t n, int spread) {
  std::mt19937 random(static_cast<unsigned>(n) + static_cast<unsigned>(spread));
  std::vector<T> all;
  for (std::size_t i = 0; i != n; ++i) {
    double const size =
        std::ldexp(1 + static_cast<double>(random() % 65536) / 65536,
                   static_cast<int>(random() % static_cast<unsigned>(2 * spread)) - spread);
    all.push_back(static_cast<T>(i % 2 == 1 && random() % 4 != 0 ? -static_cast<double>(all.back())
                                 : random() % 2 == 0             ? size
                                                                 : -size));
  }
  return all;
}
/// Data with finite sums on which additions in float lose the most accuracy.
template <class T> std::vector<std::vector<T>> adversarial_data(std::size_t n) {
  double const big = std::is_same_v<T, float16> ? 2048 : 1e8;
  std::vector<std::vector<T>> all{repeated_values<T>({big, 1, -big}, n),
                                  repeated_values<T>({1 + 0x1p-7, 0x1p-24, 0x1p-24}, n),
                                  repeated_values<T>({1, -0.9990234375, 3e-4}, n),
                                  scattered_values<T>(n, 8), scattered_values<T>(n, 14)};
  all.push_back(repeated_values<T>({0.1}, n));
  all.back()[n / 2] = static_cast<T>(-big);
  return all;
}

/// The sum of elements, exact to 64 bits, and the sum of their absolute values.
struct sums {
  long double sum = 0, absolute = 0;
  double n = 0;

  template <class Values> explicit sums(Values const& values) {
    long double lost = 0;  // compensation of Neumaier's summation
    for (auto const x : values) {
      long double const v = static_cast<double>(x), next = sum + v;
      lost += std::fabs(sum) >= std::fabs(v) ? (sum - next) + v : (v - next) + sum;
      sum = next;
      absolute += std::fabs(v);
    }
    sum += lost;
    n = static_cast<double>(values.size());
  }
  /// The error bound of a sum of type T: the float part, the double part, and the rounding to 16
  /// bits.
  template <class T> double bound() const {
    auto const all = static_cast<double>(absolute);
    double const by_type = std::is_same_v<T, double> ? 0 : 5 * eps;
    double const rounding = std::is_same_v<T, float16>    ? 0x1p-11
                            : std::is_same_v<T, bfloat16> ? 0x1p-8
                                                          : 0;
    return (by_type + n * double_unit) * all +
           rounding * std::fabs(static_cast<double>(sum)) * (1 + eps) + rounding * 5 * eps * all;
  }
  double bound_in_double() const { return n * double_unit * static_cast<double>(absolute); }
};
double off(auto got, long double exact) {
  return static_cast<double>(std::fabs(static_cast<long double>(static_cast<double>(got)) - exact));
}

/// Checks that each form of the sum and the mean of x is within its bound of the exact one.
template <class T> void check_bounds(std::vector<T> const& v, extents<dyn, dyn> s) {
  INFO(element_name<T>() << ' ' << to_string(s));
  tensor<T, dextents<2>> const x = from(v, s);
  auto const at = [&](index_t i, index_t j) {
    return v[static_cast<std::size_t>(i * s.at(1) + j)];
  };
  sums const all(v);
  CHECK(off(item(sum(x)), all.sum) <= all.bound<T>());
  CHECK(off(item(mean(x)), all.sum / all.n) <= all.bound<T>() / all.n);
  CHECK(off(item(sum<double>(x)), all.sum) <= all.bound_in_double());
  CHECK(off(item(mean<double>(x)), all.sum / all.n) <= 1.0000001 * all.bound_in_double() / all.n);
  for (int axis : {0, 1}) {
    INFO("axis " << axis);
    auto const own = tensor(sum(x, axis)).read(), own_mean = tensor(mean(x, axis)).read();
    auto const wide = tensor(sum<double>(x, axis)).read();
    auto const turned = tensor(sum(transpose(x), 1 - axis)).read();
    bool ok = true;
    for (index_t i = 0; i != s.at(static_cast<std::size_t>(1 - axis)); ++i) {
      std::vector<T> line;
      for (index_t k = 0; k != s.at(static_cast<std::size_t>(axis)); ++k)
        line.push_back(axis == 0 ? at(k, i) : at(i, k));
      sums const exact(line);
      ok = ok && off(own(i), exact.sum) <= exact.bound<T>();
      ok = ok && off(turned(i), exact.sum) <= exact.bound<T>();
      ok = ok && off(own_mean(i), exact.sum / exact.n) <= exact.bound<T>() / exact.n;
      ok = ok && off(wide(i), exact.sum) <= exact.bound_in_double();
    }
    CHECK(ok);
  }
}

std::vector<float> cancelling() { return repeated_values<float>({1e8, 1, -1e8}, 3000); }
std::vector<float> beyond_float() {
  return repeated_values<float>({3e38, 3e38, -3e38, -3e38}, 4000);
}

template <class R, class X>
constexpr bool sums_to =
    std::is_same_v<typename decltype(sum<R>(std::declval<X>()))::value_type, R>;
using floats_2x3 = tensor<float, extents<2, 3>>;
static_assert(sums_to<double, floats_2x3> && sums_to<float, tensor<float16, dextents<1>>> &&
              sums_to<std::int64_t, tensor<int, dextents<1>>> &&
              sums_to<float, tensor<double, dextents<1>>>);
static_assert(
    std::is_same_v<decltype(sum<double>(std::declval<floats_2x3>(), axis<0>))::extents_type,
                   extents<3>>);
static_assert(std::is_same_v<decltype(mean<double>(std::declval<floats_2x3>(),
                                                   keep_dim(axis<1>)))::extents_type,
                             extents<2, 1>>);

}  // namespace

TEST_CASE("sums and means keep within their bounds on adversarial data, in every form") {
  on_each_device([](device) {
    for (auto const& s :
         {shape(1, 5), shape(3, 16), shape(40, 33), shape(1030, 3), shape(2, 5000)}) {
      auto const n = s.count();
      for (auto const& v : adversarial_data<float>(n)) check_bounds(v, s);
      for (auto const& v : adversarial_data<double>(n)) check_bounds(v, s);
      check_bounds(scattered_values<float16>(n, 4), s);
      for (auto const& v : adversarial_data<bfloat16>(n)) check_bounds(v, s);
    }
  });
}

TEST_CASE("the bounds hold if threads compute parts of a sum") {
  auto const s = shape(6, 20'001);
  for (auto const& v : adversarial_data<float>(s.count())) check_bounds(v, s);
}

TEST_CASE(
    "floats are added in float first, as the bound says: sixteen of them may lose small ones") {
  with_device const scope("/cpu:0");
  sums const exact(cancelling());
  CHECK(exact.sum == 1000);
  double const error = off(item(sum(from(cancelling()))), exact.sum);
  CHECK(error > exact.bound_in_double());
  CHECK(error <= exact.bound<float>());
}

TEST_CASE("sixteen floats whose sum exceeds the float range overflow; smaller sums do not") {
  with_device const scope("/cpu:0");
  CHECK_FALSE(std::isfinite(item(sum(from(beyond_float())))));
  CHECK_FALSE(std::isfinite(item(mean(from(beyond_float())))));
  auto const v =
      repeated_values<float>({largest / 16, largest / 16, -largest / 16, -largest / 16}, 4000);
  CHECK(item(sum(from(v))) == 0);
}

TEST_CASE(
    "sum<double> and mean<double> add each element in double, in every form, on every device") {
  on_each_device([](device d) {
    tensor<float, dextents<2>> const a = from(cancelling(), shape(3, 1000));
    tensor<float, dextents<2>> const b = from(beyond_float(), shape(40, 100));
    CHECK(item(sum<double>(a)) == 1000);
    CHECK(item(mean<double>(a)) == 1000. / 3000);
    CHECK(item(sum<double>(b)) == 0);
    CHECK(item(mean<double>(b)) == 0);
    CHECK(item(sum<double>(transpose(a))) == 1000);
    CHECK(item(sum<double>(a * 1.f)) == 1000);
    CHECK(item(sum<double>(a) + 1.) == 1001);
    tensor const all = sum<double>(a);
    CHECK(all.where() == d);
    // rows of 1000: they start at positions 0, 1 and 2 of the pattern
    tensor<double, dextents<1>> const rows = sum<double>(a, 1);
    CHECK(to_string(rows) == to_string(tensor{333. + 1e8, 334., 333. - 1e8}));
    CHECK(to_string(tensor(sum<double>(a, keep_dim(axis<1>)))) ==
          to_string(tensor(reshape(rows, shape(3, 1)))));
    CHECK(to_string(tensor(sum<double>(transpose(a), axis<0>))) == to_string(rows));
    CHECK(to_string(tensor(mean<double>(a, axis<-1>))) == to_string(tensor(rows / 1000.)));
    tensor<double, dextents<1>> const columns =
        sum<double>(from(beyond_float(), shape(4, 1000)), 0);
    CHECK(columns.read()[0] ==
          4. * static_cast<double>(3e38f));  // 1000 is a multiple of the pattern length
    CHECK(columns.read()[2] == -4. * static_cast<double>(3e38f));
  });
}

TEST_CASE("a sum accumulated in double is rounded once, to the requested type") {
  on_each_device([](device) {
    auto const v = scattered_values<float>(777, 10);
    auto const x = from(v);
    CHECK(item(sum<float>(x)) == static_cast<float>(item(sum<double>(x))));
    CHECK(item(mean<float>(x)) == static_cast<float>(item(mean<double>(x))));
    // Rounding to float first would lose the third element, and round half to even would then round
    // down.
    auto const thirds = from(std::vector<float>{1.f, 0x1p-11f, 0x1p-30f});
    CHECK(item(sum<float16>(thirds)) == static_cast<float16>(1.0009765625f));
    auto const halves = cast<float16>(from(std::vector<float>{1.f, 0x1p-11f, 0x1p-11f, 0x1p-24f}));
    CHECK(item(sum<double>(halves)) == 1 + 0x1p-10 + 0x1p-24);
    CHECK(item(sum<float>(halves)) == 1 + 0x1p-10f);
    CHECK(item(sum<float>(cast<bfloat16>(x))) ==
          static_cast<float>(item(sum<double>(cast<bfloat16>(x)))));
    auto const doubles = from(std::vector<double>{1, 0x1p-25, 0x1p-24, 1e-30});
    CHECK(item(sum<float>(doubles)) == 1 + 0x1p-23f);
  });
}

TEST_CASE("integers and bools sum to a requested integer type, which wraps, or to floating point") {
  on_each_device([](device) {
    tensor const n = from(std::vector<int>(100, 2'000'000'000));
    CHECK(item(sum<std::int64_t>(n)) == 200'000'000'000);
    CHECK(item(sum<std::int64_t>(n)) == item(sum(n)));
    CHECK(item(sum<int>(n)) == static_cast<int>(200'000'000'000));
    CHECK(item(sum<std::uint8_t>(n)) == static_cast<std::uint8_t>(200'000'000'000));
    CHECK(item(sum<double>(n)) == 2e11);
    CHECK(item(sum<float>(n)) == 2e11f);
    CHECK(item(mean<float>(n)) == 2e9f);
    CHECK(item(mean<double>(n)) == item(mean(n)));
    tensor const b = n > 0;
    CHECK(item(sum<int>(b)) == 100);
    CHECK(item(sum<double>(b)) == 100);
    CHECK(item(mean<float>(b)) == 1);
    tensor<int, dextents<1>> const none = from(std::vector<int>{});
    CHECK(item(sum<double>(none)) == 0);
    CHECK(std::isnan(item(mean<float>(none))));
  });
}

TEST_CASE("a sum in double runs on the device in the type of its operand") {
  tensor<float, extents<2, 3>, dev<kind::cpu, 0>> const x{{1e8f, 1.f, -1e8f}, {1e8f, 2.f, -1e8f}};
  tensor<double, extents<>, dev<kind::cpu, 0>> const all = sum<double>(x);
  CHECK(all.read()[0] == 3);
  tensor<double, extents<2>, dev<kind::cpu, 0>> const rows = mean<double>(x, axis<1>) * 3.;
  CHECK(to_string(rows) == "[1 2]");
}

TEST_CASE(
    "a sum in double is one op Sum in all forms of the log and in plans, with its result's bytes") {
  with_device const scope(device_request("/cpu:0", {"user.cpp", 1}));
  tensor<float, dextents<2>> const x = from(cancelling(), shape(3, 1000));
  auto const e = sum<double>(x, 1, {"user.cpp", 2});
  auto const plan = plan_of(e);
  CHECK(plan.node("Sum").element == "float");
  CHECK(plan.node("Sum").result_bytes == 3 * sizeof(double));
  CHECK(plan.kernels == 1);
  log_lines log;
  set_log_device_placement(true);
  tensor y = e;
  CHECK(log.take_all() ==
        lines_of{
            "placement: Sum<float> [3] on /CPU:0 (asked for /CPU:0: device scope) at user.cpp:2"});
  set_log_format(log_format::tf2);
  y = e;
  tensor const m = mean<double>(x);
  std::string const on = " in device /job:localhost/replica:0/task:0/device:CPU:0";
  CHECK(log.take_all() == lines_of{"Executing op Sum" + on, "Executing op Mean" + on});
}

namespace {

/// Numbers with all bits, of both signs.
template <class T> tensor<T, dextents<2>> drawn(index_t rows, index_t n) {
  return uniform<T>(shape(rows, n), T{-1}, T{1});
}
/// |a - b| in units of the bound of sum().
template <class T> bool is_within_bound(double a, double exact, double magnitudes, index_t n) {
  double const unit = std::is_same_v<T, float> ? eps : 0x1p-52;
  double const bound =
      std::is_same_v<T, float> ? 6 * unit : static_cast<double>(n) * double_unit + 3 * unit;
  return std::abs(a - exact) <= bound * magnitudes;
}

/// Sums of a, of a b, a a and |a| along rows, beside sums in long double.
template <class T> void check_forms(index_t rows, index_t n) {
  INFO(rows << " rows of " << n);
  auto const a = drawn<T>(rows, n), b = drawn<T>(rows, n);
  tensor<T, dextents<1>> const of_elements = sum(a, 1), of_products = sum(a * b, 1),
                               of_squares = sum(square(a), 1), of_magnitudes = sum(abs(a), 1),
                               means = mean(a * a, 1);
  tensor<T, extents<>> const all = sum(a * b);
  long double whole = 0, whole_magnitudes = 0;
  for (index_t r = 0; r != rows; ++r) {
    long double elements = 0, products = 0, squares = 0, magnitudes = 0, product_magnitudes = 0;
    for (index_t i = r * n; i != (r + 1) * n; ++i) {
      T const x = a.data()[i], xy = x * b.data()[i], xx = x * x;
      elements += x;
      products += xy;
      squares += xx;
      magnitudes += std::abs(x);
      product_magnitudes += std::abs(xy);
    }
    auto const near = [&](T got, long double exact, long double scale) {
      return is_within_bound<T>(static_cast<double>(got), static_cast<double>(exact),
                                static_cast<double>(scale), n);
    };
    CHECK(near(of_elements.data()[r], elements, magnitudes));
    CHECK(near(of_products.data()[r], products, product_magnitudes));
    CHECK(near(of_squares.data()[r], squares, squares));
    CHECK(near(of_magnitudes.data()[r], magnitudes, magnitudes));
    if (n != 0)
      CHECK(near(means.data()[r], squares / static_cast<long double>(n),
                 squares / static_cast<long double>(n)));
    whole += products;
    whole_magnitudes += product_magnitudes;
  }
  CHECK(is_within_bound<T>(static_cast<double>(all.read()[0]), static_cast<double>(whole),
                           static_cast<double>(whole_magnitudes), rows * n));
}

}  // namespace

TEST_CASE(
    "sums of elements, products, squares and magnitudes are near the exact ones at each length") {
  with_device const scope("/CPU:0");
  for (index_t n = 0; n != 150; ++n) check_forms<float>(3, n);
  for (index_t n = 0; n != 100; ++n) check_forms<double>(3, n);
  for (index_t n : {255, 511, 512, 513, 640, 1023, 2048, 2111, 2112, 2113, 2200, 4096, 5003}) {
    check_forms<float>(5, n);
    check_forms<double>(5, n);
  }
}

TEST_CASE("a sum of products has the bits of the sum of a tensor of products") {
  with_device const scope("/CPU:0");
  for (index_t n : {5, 16, 31, 100, 512, 700, 2112, 3000, 70'000}) {
    INFO(n << " elements");
    auto const a = drawn<float>(2, n), b = drawn<float>(2, n);
    tensor<float, dextents<2>> const ab = a * b, m = abs(a);
    tensor<float, dextents<1>> const products = sum(a * b, 1), of_ab = sum(ab, 1),
                                     magnitudes = sum(abs(a), 1), of_m = sum(m, 1),
                                     reversed = sum(reverse(a, 0) * reverse(b, 0), 1);
    for (index_t r = 0; r != 2; ++r) {
      CHECK(products.data()[r] == of_ab.data()[r]);
      CHECK(magnitudes.data()[r] == of_m.data()[r]);
      CHECK(reversed.data()[1 - r] == products.data()[r]);
    }
    float const nan = std::numeric_limits<float>::quiet_NaN();
    tensor<float, dextents<2>> c = a;
    view(c)(1, n - 1) = nan;
    tensor<float, dextents<1>> const s = sum(c, 1), sp = sum(c * b, 1);
    tensor<float, dextents<1>> const of_a = sum(a, 1);
    CHECK(s.data()[0] == of_a.data()[0]);
    CHECK(std::isnan(s.data()[1]));
    CHECK(std::isnan(sp.data()[1]));
    CHECK(sp.data()[0] == products.data()[0]);
  }
}

namespace {

/// Equal bits, or both NaN.
template <class X, class Y> void check_same(X const& a, Y const& b) {
  auto const x = tensor(a).read(), y = tensor(b).read();
  REQUIRE(x.size() == y.size());
  index_t different = 0;
  for (std::size_t i = 0; i != x.size(); ++i)
    if (!(x[i] == y[i]) && !(std::isnan(x[i]) && std::isnan(y[i]))) ++different;
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("sums and products have the same bits in place and through a layout") {
  with_device const scope("/CPU:0");
  for (auto const& [rows, n] : {std::pair<index_t, index_t>{1, 100},
                                {3, 700},
                                {40, 64},
                                {100, 100},
                                {7, 3000},
                                {300, 5},
                                {33, 513},
                                {2, 40'000}}) {
    INFO(rows << " rows of " << n);
    tensor<float, dextents<2>> const padded = uniform<float>(shape(rows, n + 3), 0.9f, 1.1f);
    auto const part = slice(padded, range{}, range{1, n + 1});
    tensor<float, dextents<2>> const dense = part;
    check_same(sum(dense, 0), sum(part, 0));
    check_same(sum(dense, 1), sum(part, 1));
    check_same(prod(dense, 0), prod(part, 0));
    check_same(prod(dense, 1), prod(part, 1));
    check_same(sum(dense * dense, 1), sum(part * part, 1));
    check_same(mean(abs(dense), 0), mean(abs(part), 0));
    check_same(sum(dense), sum(part));
    check_same(prod(dense), prod(part));
    check_same(sqrt(sum(square(dense))), sqrt(sum(square(part))));
  }
}

TEST_CASE("a product of a typed tensor has the bits of the same elements in memory") {
  with_device const scope("/CPU:0");
  tensor<float, extents<700>> const typed = uniform<float>(extents<700>{}, 0.9f, 1.1f);
  tensor<float, dextents<1>> const same = typed;
  check_same(prod(typed), prod(same));
  check_same(prod(same), prod(same * 1.f));
}

TEST_CASE("a product is NaN or infinite where a plain loop's is") {
  with_device const scope("/CPU:0");
  float const inf = std::numeric_limits<float>::infinity();
  for (index_t n : {5, 63, 64, 100, 3000}) {
    tensor<float, dextents<1>> x = constant(1.f, shape(n));
    x.data()[n - 1] = inf;
    CHECK(item(prod(x)) == inf);
    x.data()[n / 2] = 0.f;
    CHECK(std::isnan(item(prod(x))));
    x.data()[n - 1] = -2.f;
    CHECK(item(prod(x)) == 0);
    CHECK(std::signbit(item(prod(x))));
  }
}
