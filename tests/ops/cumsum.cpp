// Cumulative sums.
#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>

#include <support/reductions.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

using namespace placement;

namespace {
using summed = types_of_run<elements, types<bool, std::int8_t, float>>;
}
TEST_CASE("cumsum is the sum up to each element, in int64 for integers") {
  each<summed>([]<class T>() {
    INFO("element type " << element_name<T>());
    using R = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
    shape3 const n{3, 4, 5};
    auto const v = small_values<T>(count_of(n));
    on_each_device([&](device d) {
      auto const x = tensor_of(v, shape(3, 4, 5));
      for (int axis : {0, 1, 2}) {
        // each fiber of the result is the cumulative sum of the operand's fiber
        tensor<R, dextents<3>> const y = cumsum(x, axis - 3);
        CHECK(y.where() == d);
        auto const h = y.read();
        auto const sums = reduced_fibers(std::vector<R>(h.begin(), h.end()), n, axis);
        auto const lines = reduced_fibers(v, n, axis);
        for (std::size_t l = 0; l != lines.size(); ++l) {
          R sum{};
          for (std::size_t i = 0; i != lines[l].size(); ++i)
            CHECK(sums[l][i] == (sum = static_cast<R>(sum + static_cast<R>(lines[l][i]))));
        }
      }
    });
  });
}

TEST_CASE("cumsum of each length is that of a plain loop") {
  with_device const scope("/CPU:0");
  for (index_t n = 0; n != 23; ++n) {
    INFO(n << " elements");
    tensor<double, dextents<2>> const x = floor(uniform<double>(shape(n, 3), -50., 50.));
    tensor<std::complex<float>, dextents<1>> const z = make_complex(iota(n, 1.f), iota(n, -4.f));
    tensor<double, dextents<2>> const down = cumsum(x), across = cumsum(x, 1);
    tensor<std::complex<float>, dextents<1>> const sums = cumsum(z);
    double sum[3] = {};
    std::complex<float> whole{};
    for (index_t i = 0; i != n; ++i) {
      double line = 0;
      for (index_t j = 0; j != 3; ++j) {
        CHECK(down.data()[i * 3 + j] == (sum[j] += x.data()[i * 3 + j]));
        CHECK(across.data()[i * 3 + j] == (line += x.data()[i * 3 + j]));
      }
      CHECK(sums.data()[i] == (whole += z.data()[i]));
    }
  }
}

TEST_CASE("cumsum is along the first axis by default") {
  tensor const x{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  CHECK(to_string(tensor(cumsum(x))) == "[[1 2 3]\n [5 7 9]]");
  CHECK(to_string(tensor(cumsum(x, axis<1>))) == "[[1 3 6]\n [4 9 15]]");
  CHECK(to_string(tensor(cumsum(transpose(x) * 2.f))) == "[[2 8]\n [6 18]\n [12 30]]");
  CHECK(to_string(tensor(cumsum(tensor{true, false, true}))) == "[1 1 2]");
  STATIC_CHECK(
      std::is_same_v<decltype(cumsum(zeros<float>(extents<2, 3>{})))::extents_type, extents<2, 3>>);
  CHECK_THROWS_AS(cumsum(x, 2), shape_error);
}

TEST_CASE("cumsum accumulates floats in double, wraps integers, and propagates NaN") {
  tensor const ones = constant(1.f, shape(20'000'000));
  CHECK(tensor(cumsum(ones)).read()[19'999'999] == 20'000'000.f);
  tensor const big{std::numeric_limits<std::int64_t>::max(), std::int64_t{1}};
  CHECK(tensor(cumsum(big)).read()(1) == std::numeric_limits<std::int64_t>::min());
  double const not_a_number = std::numeric_limits<double>::quiet_NaN();
  tensor const y = cumsum(tensor{1., not_a_number, 2.});
  CHECK(y.read()(0) == 1);
  CHECK(std::isnan(y.read()(1)));
  CHECK(std::isnan(y.read()(2)));
}

TEST_CASE("cumsum of an empty tensor is empty") {
  auto const none = tensor_of(std::vector<float>{}, shape(0, 3));
  CHECK(tensor(cumsum(none)).shape() == shape(0, 3));
  CHECK(tensor(cumsum(none, 1)).shape() == shape(0, 3));
}
