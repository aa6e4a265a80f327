/// Compute in memory of your own, without a copy.

#include <placement/placement.hpp>

#include <iostream>
#include <vector>

namespace pl = placement;

int main() {
  std::vector<float> mine{1, 2, 3, 4, 5, 6};
  pl::tensor x = pl::borrow(mine.data(), pl::shape(2, 3));
  x = x * 10.f;
  pl::slice(pl::view(x), pl::range{0, 1}) = 0.f;
  for (float const v : mine) std::cout << v << ' ';
  std::cout << std::endl;
}
