/// a x + y in one line: one fused kernel on the GPU if there is one, otherwise a loop on the CPU.
/// The same file is a C++ program and a CUDA program.

#include <placement/placement.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

namespace pl = placement;

int main() {
  std::vector<float> const ones(1 << 20, 1.f), twos(1 << 20, 2.f);
  pl::tensor const x = pl::from(ones);
  pl::tensor y = pl::from(twos);

  y = 2.f * x + y;

  float max = 0;
  for (float const v : y.read()) max = std::max(max, std::fabs(v - 4.f));
  std::cout << "y is on " << pl::to_string(y.where()) << ", off by " << max << " at most"
            << std::endl;
}
