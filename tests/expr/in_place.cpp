// What may be written where it is read, and what may not.
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace placement;

TEST_CASE("a tensor that on() leaves where it is may not be overwritten while it is read transposed") {
  with_device const here("/gpu:0");
  tensor a{{1.f, 2.f}, {3.f, 4.f}};
  a = a + transpose(on("/gpu:0", a));
  CHECK(to_string(a) == "[[2 5]\n [5 8]]");

  tensor b{{1.f, 2.f}, {3.f, 4.f}};
  b = b + transpose(on("/gpu:0", on("/gpu:0", view(b))));
  CHECK(to_string(b) == "[[2 5]\n [5 8]]");
}

TEST_CASE("borrowed memory is read before it is written through a view") {
  float memory[] = {1, 2, 3, 4};
  tensor a = borrow(memory, shape(4));
  slice(view(a), range{.step = -1}) = a;
  CHECK(to_string(a) == "[4 3 2 1]");
}
