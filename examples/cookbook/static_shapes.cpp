/// Let the compiler check shapes, and where each op will run.

#include <placement/placement.hpp>

#include <iostream>
#include <utility>

namespace pl = placement;

using a_type = pl::tensor<float, pl::extents<2, 3>>;
using b_type = pl::tensor<float, pl::extents<3, 4>>;
using product =
    decltype(pl::on(pl::gpu<0>, pl::matmul(std::declval<a_type>(), std::declval<b_type>())));

constexpr auto plan = pl::plan_of<product>(pl::machine{.gpus = 1});
static_assert(plan.node("MatMul").device == pl::gpu0 && plan.fallbacks() == 0);

int main() {
  a_type const a = pl::ones<float>(pl::extents<2, 3>{});
  b_type const b = pl::ones<float>(pl::extents<3, 4>{});
  pl::tensor<float, pl::extents<2, 4>> const c = pl::matmul(a, b);  // matmul(b, a) is rejected
  std::cout << c << ", " << plan.copies() << " copies" << std::endl;
}
