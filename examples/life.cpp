/// Conway's game of life: a glider on a torus.

#include <placement/expr/array2string.hpp>
#include <placement/ops/roll.hpp>
#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::matrix<int> world = pl::zeros<int>(8, 8);
  pl::slice(pl::view(world), pl::range{0, 3}, pl::range{0, 3}) =
      pl::tensor{{0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  for (int step = 0; step != 8; ++step) {
    pl::tensor const row = pl::roll(world, 1, 1) + world + pl::roll(world, -1, 1);
    pl::tensor const block = pl::roll(row, 1, 0) + row + pl::roll(row, -1, 0);
    world = pl::where(block == 3 || (block == 4 && world == 1), 1, 0);
  }
  std::cout << pl::array2string(world) << std::endl;
}
