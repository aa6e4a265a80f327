// + - * / % and unary minus over every element type, against plain loops.
#include <placement/expr/evaluate.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/divide.hpp>
#include <placement/ops/iota.hpp>
#include <placement/ops/modulo.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/negative.hpp>
#include <placement/ops/reshape.hpp>
#include <placement/ops/subtract.hpp>
#include <support/elementwise.hpp>
#include <support/log_lines.hpp>

using namespace placement;

TEST_CASE("integers are added, subtracted and multiplied modulo 2^bits, in their own type") {
  each<integers>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return x + y; },
                    [](T x, T y) { return wrapped(x, y, [](auto a, auto b) { return a + b; }); });
    check_binary<T>([](auto const& x, auto const& y) { return x - y; },
                    [](T x, T y) { return wrapped(x, y, [](auto a, auto b) { return a - b; }); });
    check_binary<T>([](auto const& x, auto const& y) { return x * y; },
                    [](T x, T y) { return wrapped(x, y, [](auto a, auto b) { return a * b; }); });
  });
}

TEST_CASE("integer division truncates, by zero it gives zero, and the lowest value by -1 wraps") {
  each<integers>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return x / y; },
                    [](T x, T y) {
                      if (y == 0) return T(0);
                      if (std::is_signed_v<T> && y == T(-1) && x == std::numeric_limits<T>::min())
                        return x;
                      return static_cast<T>(x / y);
                    });
  });
}

TEST_CASE(
    "the remainder of integers has the sign of the left side, and is zero for a zero divisor") {
  each<integers>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return x % y; },
                    [](T x, T y) {
                      if (y == 0) return T(0);
                      if (std::is_signed_v<T> && y == T(-1)) return T(0);
                      return static_cast<T>(x % y);
                    });
  });
  tensor<int, dextents<1>> const x{-7, 7, -7, 7}, y{3, 3, -3, -3};
  CHECK(differences(tensor(x % y), {-1, 1, -1, 1}) == no_differences);
}

TEST_CASE("floating-point arithmetic follows IEEE 754, for infinities and NaN too") {
  each<floats>([]<class T>() {
    check_binary<T>([](auto const& x, auto const& y) { return x + y; },
                    [](T x, T y) { return x + y; });
    check_binary<T>([](auto const& x, auto const& y) { return x - y; },
                    [](T x, T y) { return x - y; });
    check_binary<T>([](auto const& x, auto const& y) { return x * y; },
                    [](T x, T y) { return x * y; });
    check_binary<T>([](auto const& x, auto const& y) { return x / y; },
                    [](T x, T y) { return x / y; });
    check_binary<T>([](auto const& x, auto const& y) { return x % y; },
                    [](T x, T y) { return std::fmod(x, y); });
  });
}

TEST_CASE("unary minus keeps the element type and wraps") {
  each<integers>([]<class T>() {
    check_unary<T>([](auto const& x) { return -x; },
                   [](T x) { return static_cast<T>(0 - static_cast<std::uint64_t>(x)); });
  });
  each<floats>(
      []<class T>() { check_unary<T>([](auto const& x) { return -x; }, [](T x) { return -x; }); });
}

TEST_CASE(
    "a named function gives the result of its operator, and its errors name its source line") {
  tensor<int, dextents<1>> const x{7, -8}, y{2, 3};
  CHECK(differences(tensor(add(x, y)), {9, -5}) == no_differences);
  CHECK(differences(tensor(subtract(x, y)), {5, -11}) == no_differences);
  CHECK(differences(tensor(multiply(x, y)), {14, -24}) == no_differences);
  CHECK(differences(tensor(divide(x, y)), {3, -2}) == no_differences);
  CHECK(differences(tensor(modulo(x, y)), {1, -2}) == no_differences);
  CHECK(differences(tensor(negative(x)), {-7, 8}) == no_differences);
  unsigned const line = __LINE__ + 1;
  CHECK(divide(x, y).from.where.line == line);
}

TEST_CASE("a number takes the element type of the tensor beside it, on either side") {
  tensor const x{1.f, 2.f, 4.f};
  CHECK(differences(tensor(2.f - x), {1.f, 0.f, -2.f}) == no_differences);
  CHECK(differences(tensor(1 / x), {1.f, .5f, .25f}) == no_differences);
  tensor<std::int8_t, dextents<1>> const i{1, 2};
  CHECK(differences(tensor(i - 3), {std::int8_t(-2), std::int8_t(-1)}) == no_differences);
}

TEST_CASE("an integer that the element type cannot hold is an error") {
  tensor<std::int8_t, dextents<1>> const i{1, 2};
  CHECK(
      error_message<invalid_argument>([&] { (void)(i + 300); }) ==
      "placement: the number 300 does not fit the element type int8 of the tensor beside it. Write cast<T>(x) to "
      "compute in a wider type.");
  tensor<unsigned, dextents<1>> const u{1u};
  CHECK(
      error_message<invalid_argument>([&] { (void)(u - -1); }) ==
      "placement: the number -1 does not fit the element type uint32 of the tensor beside it. Write cast<T>(x) to "
      "compute in a wider type.");
}

TEST_CASE("shapes that do not broadcast are an error when the op is written") {
  tensor const x{{1.f, 2.f}, {3.f, 4.f}}, y{{1.f, 2.f, 3.f}};
  CHECK(
      error_message<shape_error>([&] { (void)(x - y); }) ==
      "placement: shapes [2, 2] and [1, 3] do not broadcast. Aligned at the right, extents must be equal or 1: "
      "reshape, slice or transpose one side. In Sub.");
}

TEST_CASE("scalars, vectors and matrices broadcast together") {
  on_each_device([](device) {
    tensor<int, extents<>> const s(10);
    tensor<int, dextents<1>> const v{1, 2, 3};
    tensor<int, dextents<2>> const m{{100}, {200}};
    CHECK(differences(tensor(s - s), {0}) == no_differences);
    CHECK(differences(tensor(m + v - s), {91, 92, 93, 191, 192, 193}) == no_differences);
    CHECK(differences(tensor(s * (v + m)), {1010, 1020, 1030, 2010, 2020, 2030}) == no_differences);
  });
}

TEST_CASE("long rows and columns broadcast as elements one by one") {
  on_each_device([](device) {
    constexpr index_t rows = 5, columns = 101;
    tensor<double, dextents<2>> const m = reshape(iota(rows * columns, 1.), shape(rows, columns));
    tensor<double, dextents<2>> const column = reshape(iota(rows, 2.), shape(rows, 1));
    tensor<double, dextents<1>> const row = iota(columns, 3.);
    std::vector<double> sums, quotients, products, differences_in_place;
    for (index_t i = 0; i != rows; ++i)
      for (index_t j = 0; j != columns; ++j) {
        auto const x = static_cast<double>(i * columns + j + 1);
        auto const of_column = static_cast<double>(i + 2), of_row = static_cast<double>(j + 3);
        sums.push_back(x + of_row);
        quotients.push_back(of_column / x);
        products.push_back(of_column * of_row);
        differences_in_place.push_back(x - of_row);
      }
    CHECK(differences(tensor(m + row), sums) == no_differences);
    CHECK(differences(tensor(column / m), quotients) == no_differences);
    CHECK(differences(tensor(column * row), products) == no_differences);
    tensor<double, dextents<2>> in_place = m;
    in_place -= row;
    CHECK(differences(in_place, differences_in_place) == no_differences);
  });
}

TEST_CASE("static shapes stay static through arithmetic") {
  tensor<float, extents<2, 1>> const a{{1.f}, {2.f}};
  tensor<float, extents<3>> const b{1.f, 2.f, 3.f};
  STATIC_CHECK(std::is_same_v<decltype(a * b)::extents_type, extents<2, 3>>);
  CHECK(differences(tensor(a * b), {1.f, 2.f, 3.f, 2.f, 4.f, 6.f}) == no_differences);
}
