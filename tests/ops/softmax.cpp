// softmax and log_softmax, against plain loops in double.
#include <placement/placement.hpp>

#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace placement;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class T> bool all_nan(tensor<T, dextents<1>> const& x) {
  for (T v : x.read())
    if (v == v) return false;
  return true;
}

}  // namespace

TEST_CASE("softmax of a row is exp(x) over the sum of exp(x), and log_softmax its logarithm") {
  each<evaluated_floats>([]<class T>() {
    std::vector<T> v;
    for (int i = 0; i != 3 * 37; ++i) v.push_back(static_cast<T>((i * 7 + 3) % 23) / 3 - 4);
    double const tolerance = std::is_same_v<T, float> ? 1e-6 : 1e-14;
    on_each_device([&](device d) {
      tensor const x = from(v, shape(3, 37));
      tensor const y = softmax(x), l = log_softmax(x);
      CHECK(y.where() == d);
      CHECK(l.where() == d);
      auto const p = y.read();
      auto const q = l.read();
      for (int r = 0; r != 3; ++r) {
        double total = 0, sum = 0;
        for (int j = 0; j != 37; ++j)
          total += std::exp(static_cast<double>(v[static_cast<std::size_t>(r * 37 + j)]));
        for (int j = 0; j != 37; ++j) {
          double const expected =
              std::exp(static_cast<double>(v[static_cast<std::size_t>(r * 37 + j)])) / total;
          CHECK(std::fabs(static_cast<double>(p(r, j)) - expected) <= tolerance);
          CHECK(std::fabs(static_cast<double>(q(r, j)) - std::log(expected)) <= tolerance * 10);
          sum += static_cast<double>(p(r, j));
        }
        CHECK(std::fabs(sum - 1) <= tolerance);
      }
    });
  });
}

TEST_CASE("softmax works along the last dimension of any rank, and keeps static extents") {
  tensor<float, extents<2, 1, 2>> const x{{{0.f, 0.f}}, {{1.f, 1.f}}};
  tensor<float, extents<2, 1, 2>> const y = softmax(x);
  CHECK(to_string(y) == "[[[0.5 0.5]]\n\n [[0.5 0.5]]]");
  CHECK(to_string(tensor(softmax(tensor{3.f, 3.f, 3.f, 3.f}))) == "[0.25 0.25 0.25 0.25]");
  CHECK(to_string(tensor(softmax(transpose(tensor{{0.f, 1.f}, {0.f, 1.f}})))) ==
        "[[0.5 0.5]\n [0.5 0.5]]");
}

TEST_CASE("large differences overflow neither softmax nor log_softmax") {
  CHECK(to_string(tensor(softmax(tensor{1000.f, 0.f, -1000.f}))) == "[1 0 0]");
  CHECK(to_string(tensor(log_softmax(tensor{1000.f, 0.f, -1000.f}))) == "[0 -1000 -2000]");
  CHECK(to_string(tensor(softmax(tensor{1e308, -1e308}))) == "[1 0]");
}

TEST_CASE(
    "minus infinity has probability 0; NaN, infinity and a row of minus infinities give NaN") {
  CHECK(to_string(tensor(softmax(tensor{0., -infinity, 0.}))) == "[0.5 0 0.5]");
  CHECK(tensor(log_softmax(tensor{0., -infinity})).read()(1) == -infinity);
  for (double bad : {not_a_number, infinity}) {
    for (std::size_t at : {0u, 1u, 2u}) {
      std::vector<double> v{1, 2, 3};
      v[at] = bad;
      CHECK(all_nan(tensor(softmax(from(v)))));
      CHECK(all_nan(tensor(log_softmax(from(v)))));
    }
  }
  CHECK(all_nan(tensor(softmax(tensor{-infinity, -infinity}))));
  // NaN affects its own row only
  tensor const y = softmax(tensor{{not_a_number, 1.}, {0., 0.}});
  CHECK(y.read()(1, 0) == 0.5);
}

TEST_CASE("softmax of empty rows, and of no rows, is empty") {
  on_each_device([](device) {
    auto const none = tensor_of(std::vector<float>{}, shape(0, 3));
    auto const narrow = tensor_of(std::vector<float>{}, shape(3, 0));
    CHECK(tensor(softmax(none)).shape() == shape(0, 3));
    CHECK(tensor(softmax(narrow)).shape() == shape(3, 0));
    CHECK(tensor(log_softmax(none)).shape() == shape(0, 3));
    CHECK(tensor(log_softmax(narrow)).shape() == shape(3, 0));
  });
}

TEST_CASE("short rows are computed several at a time, with the results of single rows") {
  each<evaluated_floats>([]<class T>() {
    for (index_t n : {1, 2, 10, 15, 16, 31, 32, 33, 47, 63, 65, 100}) {
      constexpr index_t rows = 37;
      std::vector<T> v;
      for (index_t i = 0; i != rows * n; ++i) v.push_back(static_cast<T>(i * 37 % 101) / 8 - 5);
      v[static_cast<std::size_t>(3 * n)] = std::numeric_limits<T>::quiet_NaN();
      v[static_cast<std::size_t>(17 * n)] = -std::numeric_limits<T>::infinity();
      auto const both = [&](auto op) {
        std::vector<T> together(v.size()), in_place = v;
        dextents<2> const all{{rows, n}};
        op(dense_view<T, dextents<2>>{together.data(), all},
           dense_view<T const, dextents<2>>{v.data(), all});
        op(dense_view<T, dextents<2>>{in_place.data(), all},
           dense_view<T const, dextents<2>>{in_place.data(), all});
        for (index_t r = 0; r != rows; ++r) {
          std::vector<T> alone(static_cast<std::size_t>(n));
          dextents<2> const one{{1, n}};
          op(dense_view<T, dextents<2>>{alone.data(), one},
             dense_view<T const, dextents<2>>{v.data() + r * n, one});
          for (index_t j = 0; j != n; ++j) {
            T const x = alone[static_cast<std::size_t>(j)],
                    y = together[static_cast<std::size_t>(r * n + j)],
                    z = in_place[static_cast<std::size_t>(r * n + j)];
            if (r == 3 || (r == 17 && n == 1)) REQUIRE((x != x && y != y && z != z));
            else REQUIRE((x == y && x == z));
          }
        }
      };
      both(softmax_op{});
      both(log_softmax_op{});
    }
  });
}

TEST_CASE("softmax can be assigned to its operand, also through a transposed view") {
  tensor x{{0.f, 0.f}, {1.f, 1.f}};
  x = softmax(x);
  CHECK(to_string(x) == "[[0.5 0.5]\n [0.5 0.5]]");
  tensor y{{0.f, 3.f}, {0.f, 3.f}};
  y = softmax(transpose(y));
  CHECK(to_string(y) == "[[0.5 0.5]\n [0.5 0.5]]");
}

TEST_CASE("softmax with non-temporal stores has the same elements") {
  for (index_t columns : {4, 64, 1000, 1024, 4096, 4100}) {
    auto const size = static_cast<std::size_t>(3 * columns);
    std::vector<float> x(size), near(size), far(size);
    for (std::size_t i = 0; i != size; ++i) x[i] = static_cast<float>(i * 37 % 101) / 8 - 5;
    auto const both = [&](auto op) {
      dextents<2> const rows{{3, columns}};
      dense_view<float const, dextents<2>> const in{x.data(), rows};
      op(dense_view<float, dextents<2>>{near.data(), rows}, in);
      op(dense_view<float, dextents<2>>{far.data(), rows}, in, true);
      CHECK(near == far);
    };
    both(softmax_op{});
    both(log_softmax_op{});
  }
}
