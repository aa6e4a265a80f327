/// See kernels and copies of an expression before anything runs.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::tensor a{{1.f, 2.f}, {3.f, 4.f}};
  std::cout << pl::explain(pl::relu(pl::matmul(a, a) + 1.f)) << std::endl;
  auto e = pl::on("/gpu:1", pl::matmul(a, a)) + 1.f;
  std::cout << pl::explain(e);
}
