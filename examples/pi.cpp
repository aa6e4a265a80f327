/// Pi by the Monte Carlo method: the share of random points in the unit square that are in the
/// circle. Two generators and the reduction are one kernel without an array.

#include <placement/placement.hpp>

#include <iomanip>
#include <iostream>

namespace pl = placement;

int main() {
  pl::set_seed(1);
  int const n = 1'000'000;
  auto const x = pl::uniform<float>(pl::shape(n)), y = pl::uniform<float>(pl::shape(n));
  double const pi = 4 * pl::item(pl::mean(x * x + y * y < 1));
  std::cout << "pi is about " << std::fixed << std::setprecision(2) << pi << std::endl;
}
