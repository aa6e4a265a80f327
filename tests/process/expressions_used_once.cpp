// gpus: 0 2
// A file whose expressions may be used once computes and logs as others do.
#define PLACEMENT_EXPRESSIONS_USED_ONCE
#include <placement/placement.hpp>

#include <catch2/catch_test_macros.hpp>

#include <utility>
#include <vector>

using namespace placement;

TEST_CASE("a moved expression has the value of a temporary, on the device of its scope") {
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
  auto product = matmul(x, x);
  tensor const y = std::move(product) + 1.f;
  CHECK(to_vector(y) == std::vector<float>{8, 11, 16, 23});
  CHECK(y.where() == (device_count() != 0 ? gpu0 : cpu0));
}
TEST_CASE("an element-wise expression is used twice") {
  tensor const x{1.f, 2.f};
  auto const twice = x * 2.f;
  tensor const y = twice + twice;
  CHECK(to_vector(y) == std::vector<float>{4, 8});
}
