// Reductions, by shape.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace placement;

TEST_CASE("the sum of rows without elements is 0") {
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
  tensor const empty = slice(x, range{}, range{0, 0});
  CHECK(to_string(tensor(sum(empty, axis<1>))) == "[0 0]");
  CHECK(to_string(tensor(sum(empty, -1))) == "[0 0]");
  CHECK(to_string(tensor(sum(transpose(empty), axis<0>))) == "[0 0]");
  CHECK(to_string(tensor(sum(empty, axis<1>) + 1.f)) == "[1 1]");
}
