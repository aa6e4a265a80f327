/// K-means: each point belongs to the nearest centre, and each centre moves to the mean of its
/// points.

#include <placement/expr/array2string.hpp>
#include <placement/ops/histogram.hpp>
#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::set_seed(1);
  pl::matrix<float> const homes{{0, 0}, {4, 0}, {0, 3}};
  pl::tensor const x =
      pl::gather(homes, pl::iota(300, 0) % 3) + pl::normal<float>(pl::shape(300, 2)) / 2;

  pl::matrix<float> centres = pl::slice(x, pl::range{0, 3});
  pl::vector<std::int64_t> nearest;
  for (int step = 0; step != 10; ++step) {
    auto const offset = pl::slice(x, pl::everything, pl::newaxis) - centres;  // [300, 3, 2]
    nearest = pl::argmin(pl::sum(pl::square(offset), -1), -1);
    pl::tensor const member = pl::one_hot<float>(nearest, 3);
    centres = pl::matmul(pl::transpose(member), x) / pl::expand_dims(pl::sum(member, 0), 1);
  }
  std::cout << "centres\n"
            << pl::array2string(centres, {.precision = 1}) << "\npoints of each "
            << pl::bincount(nearest) << std::endl;
}
