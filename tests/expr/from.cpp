// Tensors filled from host memory.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <span>
#include <vector>

using namespace placement;

TEST_CASE("from copies a pointer, a vector, an array or a span into a tensor of the shape") {
  std::vector<float> const v{1, 2, 3, 4, 5, 6};
  std::array<int, 4> const a{1, 2, 3, 4};
  CHECK(to_string(from(v.data(), shape(2, 3))) == "[[1 2 3]\n [4 5 6]]");
  CHECK(to_string(from(v, shape(3, 2))) == "[[1 2]\n [3 4]\n [5 6]]");
  CHECK(to_string(from(a, extents<2, 2>{})) == "[[1 2]\n [3 4]]");
  CHECK(to_string(from(std::span(v).first(2))) == "[1 2]");
  CHECK(to_string(from(std::vector<double>{})) == "[]");
}

TEST_CASE("from with a number of elements that does not fill the shape is an error") {
  std::vector<float> const v{1, 2, 3};
  CHECK_THROWS_AS(from(v, shape(2, 2)), shape_error);
  CHECK_THROWS_AS(from(v, shape(-1, 3)), shape_error);
}

TEST_CASE("from with a null pointer is an error unless the shape is empty") {
  float const* const none = nullptr;
  CHECK_THROWS_AS(from(none, shape(1)), invalid_argument);
  CHECK(from(none, shape(0, 3)).size() == 0);
}
