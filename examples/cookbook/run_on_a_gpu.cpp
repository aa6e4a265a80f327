/// Run a block of code on one GPU, and a part of it on the CPU.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::tensor x{1.f, 4.f, 9.f};
  pl::with_device scope("/gpu:1");
  pl::tensor roots = pl::sqrt(x);
  {
    pl::with_device inner("/cpu:0");
    pl::tensor total = pl::sum(roots);
    std::cout << total << " on " << pl::to_string(total.where()) << std::endl;
  }
  std::cout << roots << " on " << pl::to_string(roots.where()) << std::endl;
}
