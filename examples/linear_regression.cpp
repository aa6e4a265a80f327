/// Linear regression by gradient descent, with a matrix of samples and a vector of weights.

#include <placement/expr/array2string.hpp>
#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::set_seed(1);
  int const n = 1000;
  pl::vector<double> const truth{2, -3, 0.5};
  pl::tensor const x = pl::normal<double>(pl::shape(n, 3));
  pl::tensor const y = pl::matmul(x, truth) + 1 + 0.1 * pl::normal<double>(pl::shape(n));

  pl::vector<double> w = pl::zeros<double>(3);
  pl::tensor b = pl::zeros<double>();
  for (int step = 0; step != 100; ++step) {
    pl::tensor const error = pl::matmul(x, w) + b - y;
    w -= 0.2 * pl::matmul(pl::transpose(x), error) / n;
    b -= 0.2 * pl::mean(error);
  }
  std::cout << "weights " << pl::array2string(w, {.precision = 1}) << ", bias "
            << pl::array2string(pl::round(b)) << std::endl;
}
