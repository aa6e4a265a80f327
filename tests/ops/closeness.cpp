// isclose, allclose, array_equal, and the reports of compare_close and compare_equal.
#include <placement/ops/allclose.hpp>
#include <placement/ops/array_equal.hpp>
#include <placement/ops/compare_close.hpp>
#include <placement/placement.hpp>

#include <support/elementwise.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

using namespace placement;

namespace {

/// NumPy's rule for one pair of elements.
template <class T> bool plain_isclose(T x, T y, tolerance within) {
  using C = std::conditional_t<std::is_integral_v<T>, double, computed_in<T>>;
  C const a = static_cast<C>(x), b = static_cast<C>(y);
  if (within.equal_nan && std::isnan(a) && std::isnan(b)) return true;
  C const allowed = static_cast<C>(within.atol) + static_cast<C>(within.rtol) * std::fabs(b);
  return a == b || (std::isfinite(b) && std::fabs(a - b) <= allowed);
}
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("isclose is NumPy's rule for every pair of edge values of each type") {
  using nightly = types<std::int8_t, int, std::int64_t, std::uint8_t, float, double>;
  each<types_of_run<nightly, types<std::int64_t, std::uint8_t, float>>>([]<class T>() {
    INFO("element type " << element_name<T>());
    auto const values = edge_values<T>();
    auto const n = static_cast<index_t>(values.size());
    for (tolerance const within :
         {tolerance{}, tolerance{.rtol = 0.5}, tolerance{.rtol = 0, .atol = 1},
          tolerance{.rtol = 0, .atol = 0}, tolerance{.equal_nan = true}}) {
      std::vector<char> expected;
      for (T x : values)
        for (T y : values) expected.push_back(plain_isclose(x, y, within));
      on_each_device([&](device d) {
        tensor const close =
            isclose(tensor_of(values, shape(n, 1)), tensor_of(values, shape(1, n)), within);
        auto const got = close.read();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i != got.size(); ++i) wrong += got[i] != (expected[i] != 0);
        CHECK(wrong == 0);
        CHECK(close.where() == d);
      });
    }
  });
}

TEST_CASE("allclose and array_equal are bools") {
  tensor const x{1.0, 2.0, not_a_number};
  tensor const y{1.0, 2.0 + 1e-9, not_a_number};
  CHECK_FALSE(allclose(x, y));
  CHECK(allclose(x, y, {.equal_nan = true}));
  CHECK_FALSE(allclose(x, y, {.rtol = 0, .atol = 1e-10, .equal_nan = true}));
  CHECK(allclose(tensor{1.f, 1.f}, 1.f));
  CHECK_FALSE(array_equal(x, x));  // NaN
  CHECK(array_equal(tensor{1, 2}, tensor{1, 2}));
  CHECK_FALSE(array_equal(tensor{1, 2}, tensor{1, 3}));
  CHECK_FALSE(array_equal(tensor{1, 2}, tensor{{1, 2}}));
  CHECK_FALSE(array_equal(zeros<float>(1), zeros<float>(2)));  // does not broadcast
  CHECK(array_equal(zeros<float>(0, 2), zeros<float>(0, 2)));
  CHECK(allclose(zeros<float>(0), zeros<float>(0)));
  CHECK(array_equal(on("/gpu:1", tensor{1, 2} + 1), tensor{2, 3}));
}

TEST_CASE("a comparison lists the first differences") {
  tensor const desired{{1.0, 2.0, 0.0}, {4.0, 5.0, 6.0}};
  tensor const actual{{1.0, 2.5, 0.0}, {4.0, 5.0, 3.0}};
  comparison const c = compare_close(actual, desired);
  CHECK_FALSE(static_cast<bool>(c));
  CHECK(c.elements == 6);
  CHECK(c.different == 2);
  CHECK(c.max_absolute == 3);
  CHECK(c.max_relative == 0.5);
  CHECK(to_string(c) ==
        "Not equal to tolerance rtol=1e-05, atol=1e-08\n"
        "Mismatched elements: 2 / 6 (33.3%)\n"
        " [0, 1]: 2.5 (actual), 2 (desired)\n"
        " [1, 2]: 3 (actual), 6 (desired)\n"
        "Max absolute difference: 3\n"
        "Max relative difference: 0.5");
  CHECK(compare_close(actual, desired, {.atol = 3}));
  CHECK(to_string(compare_close(desired, desired)) == "equal");
}

TEST_CASE("a comparison of many differences lists five") {
  comparison const c = compare_equal(cast<int>(iota(shape(1000), 0)), zeros<int>(1000));
  CHECK(c.different == 999);
  CHECK(c.text.find(" [5]: 5 (actual), 0 (desired)\n ...\n") != std::string::npos);
  CHECK(c.text.find("[6]") == std::string::npos);
  CHECK(c.text.starts_with("Not equal\nMismatched elements: 999 / 1000 (99.9%)\n"));
}

TEST_CASE("compare_equal is exact, and NaN equals NaN") {
  CHECK(compare_equal(tensor{1.0, not_a_number}, tensor{1.0, not_a_number}));
  CHECK_FALSE(static_cast<bool>(compare_close(tensor{not_a_number}, tensor{not_a_number})));
  std::int64_t const large = std::int64_t{1} << 60;
  CHECK(compare_equal(tensor{large, large}, tensor{large, large + 1}).different == 1);
  CHECK(compare_equal(tensor{true, false}, tensor{true, true}).different == 1);
  CHECK(compare_equal(tensor{true, false}, tensor{true, true}).max_absolute == 1);
}

TEST_CASE("a comparison of other shapes is a report, not an error") {
  comparison const c = compare_close(zeros<float>(2, 3), zeros<float>(3));
  CHECK_FALSE(static_cast<bool>(c));
  CHECK(c.text == "Shapes [2, 3] and [3] differ");
  CHECK(compare_close(zeros<float>(0, 3), zeros<float>(0, 3)));
}
