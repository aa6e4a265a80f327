/// Which device ran this? Every tensor says where its elements are, and what was requested.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::tensor a{{1.f, 2.f}, {3.f, 4.f}};
  pl::tensor b = pl::matmul(a, a);
  pl::tensor c = pl::on("/cpu:0", a + 1.f);
  std::cout << "b is on " << pl::to_string(b.where()) << std::endl;
  std::cout << "c is on " << pl::to_string(c.where()) << ", requested "
            << pl::to_string(c.requested()) << std::endl;
}
