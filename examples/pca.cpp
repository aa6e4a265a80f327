/// Principal components by power iteration: each step is a product and a division by the length.

#include <placement/expr/array2string.hpp>
#include <placement/ops/norm.hpp>
#include <placement/ops/outer.hpp>
#include <placement/placement.hpp>

#include <cmath>
#include <iostream>

namespace pl = placement;

int main() {
  pl::set_seed(1);
  int const n = 2000;
  pl::matrix<double> const mix{{3, 0, 0}, {0.8, 1, 0}, {0, 0, 0.2}};
  pl::tensor x = pl::matmul(pl::normal<double>(pl::shape(n, 3)), mix) + 5;

  x -= pl::mean(x, 0);
  pl::tensor covariance = pl::matmul(pl::transpose(x), x) / (n - 1);
  double const total = pl::item(pl::sum(pl::diagonal(covariance)));
  for (int component = 0; component != 2; ++component) {
    pl::vector<double> v = pl::ones<double>(3);
    for (int step = 0; step != 50; ++step) {
      v = pl::matmul(covariance, v);
      v /= pl::norm(v);
    }
    double const variance = pl::item(pl::sum(v * pl::matmul(covariance, v)));
    covariance -= variance * pl::outer(v, v);
    std::cout << "direction " << pl::array2string(pl::abs(v), {.precision = 1}) << " has "
              << std::lround(100 * variance / total) << " % of the variance" << std::endl;
  }
}
