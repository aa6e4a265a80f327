// Reductions that placement.hpp does not include: NaN, norms, logsumexp, quantiles, cumulative ops.
#include <placement/ops/cumulative.hpp>
#include <placement/ops/diff.hpp>
#include <placement/ops/logsumexp.hpp>
#include <placement/ops/nan_reductions.hpp>
#include <placement/ops/norm.hpp>
#include <placement/ops/quantile.hpp>
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

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class E> std::string text(E const& e) { return to_string(tensor(e)); }

/// small_values, every fifth of them NaN.
template <class T> std::vector<T> some_nan(std::size_t count) {
  auto v = small_values<T>(count);
  for (std::size_t i = 2; i < count; i += 5) v[i] = std::numeric_limits<T>::quiet_NaN();
  return v;
}
template <class T> std::vector<T> without_nan(std::vector<T> v) {
  std::erase_if(v, [](T x) { return x != x; });
  return v;
}

constexpr auto op_nansum = [](auto const&... a) { return nansum(a...); };
constexpr auto op_nanmean = [](auto const&... a) { return nanmean(a...); };
constexpr auto op_nanmax = [](auto const&... a) { return nanmax(a...); };
constexpr auto op_nanmin = [](auto const&... a) { return nanmin(a...); };

}  // namespace

TEST_CASE("reductions that skip NaN reduce the numbers") {
  each<evaluated_floats>([]<class T>() {
    auto const sum_of = [](std::vector<T> const& v) {
      double sum = 0;
      for (T x : without_nan(v)) sum += static_cast<double>(x);
      return static_cast<T>(sum);
    };
    check_reduce<T>(op_nansum, sum_of, 0, &some_nan<T>);
    check_reduce<T>(
        op_nanmean,
        [&](std::vector<T> const& v) {
          return static_cast<T>(static_cast<double>(sum_of(v)) /
                                static_cast<double>(without_nan(v).size()));
        },
        1e-6, &some_nan<T>);
    auto const best = [](auto choose) {
      return [choose](std::vector<T> const& v) {
        auto const n = without_nan(v);
        return n.empty() ? std::numeric_limits<T>::quiet_NaN() : *choose(n.begin(), n.end());
      };
    };
    check_reduce<T>(op_nanmax, best([](auto a, auto b) { return std::max_element(a, b); }), 0,
                    &some_nan<T>);
    check_reduce<T>(op_nanmin, best([](auto a, auto b) { return std::min_element(a, b); }), 0,
                    &some_nan<T>);
  });
}

TEST_CASE("reductions that skip NaN take integers, several axes, and only NaN") {
  tensor const x{{1., not_a_number, -infinity}, {4., 2., not_a_number}};
  CHECK(text(nansum(x, 1)) == "[-inf 6]");
  CHECK(text(nanprod(x, 0, 1)) == "-inf");
  CHECK(text(nansum(x, keep_dim(0, 1))) == "[[-inf]]");
  CHECK(text(nanmax(x, 0)) == "[4 2 -inf]");
  CHECK(text(nanmin(x, axis<0, 1>)) == "-inf");
  CHECK(text(nanmean(slice(x, range{1, 2}))) == "3");
  tensor const none{not_a_number, not_a_number};
  CHECK(text(nansum(none)) == "0");
  CHECK(text(nanmax(none)) == "nan");
  CHECK(text(nanmin(none)) == "nan");
  CHECK(text(is_nan(nanmean(none))) == "True");
  tensor const whole{3, -4, 1};
  CHECK(text(nansum(whole)) == "0");
  CHECK(text(nanmax(whole)) == "3");
  CHECK(text(nanmean(whole)) == "0");
  CHECK(error_of("NanMax", [&] { (void)nanmax(zeros<float>(shape(0, 3)), 0); }) ==
        "placement: NanMax over no elements of a tensor of shape [0, 3] has no result. Check that "
        "what is reduced is not empty.");
}

TEST_CASE("norms of order 1, 2 and infinity") {
  tensor const x{{3., -4.}, {0., 12.}};
  on_each_device([&](device) {
    CHECK(text(norm(x)) == "13");
    CHECK(text(norm(x, 1)) == "[5 12]");
    CHECK(text(norm<1>(x, 0)) == "[3 16]");
    CHECK(text(norm<norm_inf>(x, axis<1>)) == "[4 12]");
    CHECK(text(norm<1>(x)) == "19");
    CHECK(text(norm(x * 2., keep_dim(0, 1))) == "[[26]]");
    CHECK(text(norm<norm_inf>(x, 0, 1)) == "12");
  });
  CHECK(text(norm(tensor{1., not_a_number})) == "nan");
  CHECK(text(norm(zeros<float>(shape(0)))) == "0");
  CHECK_THROWS_AS(norm<norm_inf>(zeros<float>(shape(0))), shape_error);
  CHECK_THROWS_AS(norm(x, 2), shape_error);
}

TEST_CASE("logsumexp neither overflows nor makes NaN of infinities") {
  tensor const x{{1000., 1000.}, {-infinity, -infinity}, {infinity, 1.}, {not_a_number, 0.}};
  on_each_device([&](device) {
    tensor const rows = logsumexp(x, 1);
    CHECK(std::fabs(rows.read()(0) - (1000 + std::log(2.))) < 1e-12);
    CHECK(rows.read()(1) == -infinity);
    CHECK(rows.read()(2) == infinity);
    CHECK(std::isnan(rows.read()(3)));
    CHECK(tensor(logsumexp(x, keep_dim(axis<1>))).shape() == shape(4, 1));
    tensor const some{{0., 0.}, {0., 0.}};
    CHECK(std::fabs(item(logsumexp(some, 0, 1)) - std::log(4.)) < 1e-15);
    CHECK(std::fabs(item(logsumexp(some * 2.)) - std::log(4.)) < 1e-15);
  });
  CHECK_THROWS_AS(logsumexp(zeros<float>(shape(2, 0)), 1), shape_error);
}

TEST_CASE("diff subtracts neighbours along an axis") {
  tensor const x{{1, 4, 9}, {2, 2, 1}};
  on_each_device([&](device) {
    CHECK(text(diff(x)) == "[[3 5]\n [0 -1]]");
    CHECK(text(diff(x, 0)) == "[[1 -2 -8]]");
    CHECK(text(diff<2>(x, axis<1>)) == "[[2]\n [-1]]");
    CHECK(text(diff(x * 2)) == "[[6 10]\n [0 -2]]");
    CHECK(text(diff(tensor{true, false, false})) == "[True False]");
    CHECK(text(diff(tensor{std::uint8_t{1}, std::uint8_t{0}})) == "[255]");
  });
  CHECK(tensor(diff<3>(x)).shape() == shape(2, 0));
  STATIC_CHECK(
      std::is_same_v<decltype(diff(zeros<int>(extents<2, 3>{})))::extents_type, extents<2, 2>>);
  CHECK(tensor(diff(zeros<float>(shape(0)))).shape() == shape(0));
  CHECK_THROWS_AS(diff(x, 2), shape_error);
  tensor<double, extents<3>, dev<kind::cpu, 0>> const held{1., 3., 7.};
  CHECK(to_string(tensor(diff(held))) == "[2 4]");
}

TEST_CASE("cumprod, cummax and cummin join each element with those before it") {
  tensor const x{{2, -1, 3}, {4, 0, -5}};
  on_each_device([&](device) {
    CHECK(text(cumprod(x)) == "[[2 -1 3]\n [8 0 -15]]");
    CHECK(text(cumprod(x, 1)) == "[[2 -2 -6]\n [4 0 0]]");
    CHECK(text(cummax(x, axis<1>)) == "[[2 2 3]\n [4 4 4]]");
    CHECK(text(cummin(x, -1)) == "[[2 -1 -1]\n [4 0 -5]]");
  });
  STATIC_CHECK(std::is_same_v<decltype(cumprod(tensor{true}))::value_type, std::int64_t>);
  CHECK(text(cumprod(tensor{std::numeric_limits<std::int64_t>::max(), std::int64_t{2}})) ==
        "[9223372036854775807 -2]");
  CHECK(text(cummax(tensor{1., not_a_number, 2.})) == "[1 nan nan]");
  CHECK(text(cummin(tensor{not_a_number, 2.})) == "[nan nan]");
  CHECK(tensor(cummax(zeros<float>(shape(0, 3)))).shape() == shape(0, 3));
  CHECK_THROWS_AS(cummax(x, 2), shape_error);
  // more fibers than advance together
  tensor const wide = iota(shape(5, 150), 0) % 7;
  tensor const largest = cummax(wide);
  CHECK(text(slice(largest, range{4, 5})) == text(max(wide, keep_dim(0))));
  CHECK(text(slice(tensor(cumprod(wide + 1)), range{4, 5})) == text(prod(wide + 1, keep_dim(0))));
}

TEST_CASE("quantiles are interpolated between the sorted elements") {
  tensor const x{{7., 1., 5.}, {2., 8., 0.}};
  on_each_device([&](device) {
    CHECK(text(median(x)) == "3.5");
    CHECK(text(median(x, 1)) == "[5 2]");
    CHECK(text(median(x, keep_dim(0))) == "[[4.5 4.5 2.5]]");
    CHECK(text(quantile(x, 0.)) == "0");
    CHECK(text(quantile(x, 1.)) == "8");
    CHECK(text(quantile(x, 0.25, axis<1>)) == "[3 1]");
    CHECK(text(quantile(x, 0.5, 0, 1)) == "3.5");
    CHECK(text(median(x, keep_dim(axis<0, 1>))) == "[[3.5]]");
  });
  CHECK(text(median(tensor{1, 2})) == "1.5");
  CHECK(text(median(tensor{1., not_a_number, 2.})) == "nan");
  CHECK(text(median(tensor{infinity, infinity})) == "inf");
  CHECK(error_message([&] { (void)quantile(x, 1.5); }) ==
        "placement: there is no quantile 1.5. Give a number from 0 to 1.");
  CHECK_THROWS_AS(quantile(x, not_a_number, 0), invalid_argument);
  CHECK_THROWS_AS(median(zeros<float>(shape(0))), shape_error);
  CHECK_THROWS_AS(median(zeros<float>(shape(0, 2)), 0, 1), shape_error);
}
