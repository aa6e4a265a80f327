/// Place ops by a rule of your own: large results on the GPU, small ones on the CPU.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  auto large_on_gpu = [](pl::op_facts const& op) {
    return op.bytes > 1024 ? pl::spec("/gpu:0") : pl::spec("/cpu:0");
  };
  pl::with_device scope(large_on_gpu);
  pl::tensor small = pl::zeros<float>(4, 4) + 1.f;
  pl::tensor large = pl::zeros<float>(64, 64) + 1.f;
  std::cout << "small: " << pl::to_string(small.where())
            << ", large: " << pl::to_string(large.where()) << std::endl;
}
