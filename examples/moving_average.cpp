/// The moving average of a series, as differences of its running sum: one pass, whatever the width.

#include <placement/expr/array2string.hpp>
#include <placement/ops/pad.hpp>
#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

/// The mean of each `width` elements that follow each other.
pl::vector<double> moving_average(pl::vector<double> const& x, int width) {
  pl::tensor const sums = pl::cumsum(pl::pad(x, {{1, 0}}));
  return (pl::slice(sums, pl::range{width}) - pl::slice(sums, pl::range{0, -width})) / width;
}

int main() {
  pl::vector<double> const x{3, -2, 5, 0, 7, 2, 9, 4, 11, 6, 13, 8};
  std::cout << "series " << pl::array2string(x) << "\nby 2   "
            << pl::array2string(moving_average(x, 2)) << "\nby 4   "
            << pl::array2string(moving_average(x, 4)) << std::endl;
}
