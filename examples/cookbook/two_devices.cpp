/// Use two devices in one expression: each product on its own GPU, and the sum on the first.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::tensor a{{1.f, 2.f}, {3.f, 4.f}};
  pl::with_device scope("/gpu:0");
  pl::tensor sum = pl::on("/gpu:0", pl::matmul(a, a)) + pl::on("/gpu:1", pl::matmul(a, a));
  std::cout << sum << " on " << pl::to_string(sum.where()) << std::endl;
  std::cout << pl::copies_between(pl::gpu1, pl::gpu0).bytes << " bytes came from GPU:1"
            << std::endl;
}
