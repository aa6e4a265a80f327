/// Give each column mean 0 and deviation 1: reductions that broadcast over their operand.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::matrix<float> const x{{1, 10}, {2, 20}, {3, 60}};
  pl::tensor const mean = pl::mean(x, pl::keep_dim(0));
  pl::tensor const deviation = pl::sqrt(pl::mean(pl::square(x - mean), pl::keep_dim(0)));
  pl::tensor const z = (x - mean) / deviation;
  std::cout << mean << std::endl << pl::round(z * 100.f) / 100.f << std::endl;
}
