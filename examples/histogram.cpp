/// A histogram of normally distributed numbers: the counts of the bins, and the share of the
/// numbers that lie below the end of each bin.

#include <placement/expr/array2string.hpp>
#include <placement/ops/histogram.hpp>
#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::set_seed(1);
  pl::tensor const x = 1 + 2 * pl::normal<double>(pl::shape(100'000));
  auto const [counts, edges] = pl::histogram(x, 8, -7, 9);
  std::cout << "edges   " << pl::array2string(edges) << "\ncounts  " << counts << "\nbelow   "
            << 100 * pl::cumsum(counts) / pl::sum(counts) << " %" << std::endl;
}
