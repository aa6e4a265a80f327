// Comparisons and logic over every element type, against plain loops.
#include <placement/expr/evaluate.hpp>
#include <placement/expr/typed_tensor.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/compare.hpp>
#include <placement/ops/logical.hpp>
#include <placement/ops/where.hpp>
#include <support/elementwise.hpp>

using namespace placement;

TEST_CASE("comparisons follow C++ element by element: NaN equals nothing") {
  using compared = types_of_run<elements, types<bool, std::int8_t, float>>;
  each<compared>([]<class T>() {  // all six in one kernel, one bit each
    check_binary<T>(
        [](auto const& x, auto const& y) {
          return where(x == y, 1, 0) + where(x != y, 2, 0) + where(x < y, 4, 0) +
                 where(x <= y, 8, 0) + where(x > y, 16, 0) + where(x >= y, 32, 0);
        },
        [](T x, T y) {
          return (x == y ? 1 : 0) + (x != y ? 2 : 0) + (x < y ? 4 : 0) + (x <= y ? 8 : 0) +
                 (x > y ? 16 : 0) + (x >= y ? 32 : 0);
        });
  });
}

TEST_CASE("logic on bool tensors follows C++, and has exclusive or") {
  check_binary<bool>([](auto const& x, auto const& y) { return x && y; },
                     [](bool x, bool y) { return x && y; });
  check_binary<bool>([](auto const& x, auto const& y) { return x || y; },
                     [](bool x, bool y) { return x || y; });
  check_binary<bool>([](auto const& x, auto const& y) { return logical_xor(x, y); },
                     [](bool x, bool y) { return x != y; });
  check_unary<bool>([](auto const& x) { return !x; }, [](bool x) { return !x; });
}

TEST_CASE("comparisons and logic also have named functions") {
  tensor const x{1, 2, 3}, y{2, 2, 2};
  CHECK(differences(tensor(equal(x, y)), {false, true, false}) == no_differences);
  CHECK(differences(tensor(not_equal(x, y)), {true, false, true}) == no_differences);
  CHECK(differences(tensor(less(x, y)), {true, false, false}) == no_differences);
  CHECK(differences(tensor(less_equal(x, y)), {true, true, false}) == no_differences);
  CHECK(differences(tensor(greater(x, y)), {false, false, true}) == no_differences);
  CHECK(differences(tensor(greater_equal(x, y)), {false, true, true}) == no_differences);
  CHECK(differences(tensor(logical_and(x > 1, x < 3)), {false, true, false}) == no_differences);
  CHECK(differences(tensor(logical_or(x < 2, x > 2)), {true, false, true}) == no_differences);
  CHECK(differences(tensor(logical_not(x > 1)), {true, false, false}) == no_differences);
}

TEST_CASE("a number may be on either side of a comparison, and a bool beside a bool tensor") {
  tensor const x{1.f, 2.f, 3.f};
  CHECK(differences(tensor(2.f < x), {false, false, true}) == no_differences);
  CHECK(differences(tensor(x == 2), {false, true, false}) == no_differences);
  CHECK(differences(tensor((x > 1.f) && true), {false, true, true}) == no_differences);
}

TEST_CASE("an interval test is one fused expression of comparisons and logic") {
  on_each_device([](device) {
    tensor const x{-1.f, 0.5f, 2.f};
    CHECK(differences(tensor(!(x < 0.f || x > 1.f)), {false, true, false}) == no_differences);
  });
}
