/// Matrices of Eigen as operands, and a tensor as a matrix of Eigen, all without a copy.

#include <placement/interop/eigen.hpp>
#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::with_device cpu("/cpu:0");  // Eigen reads host memory
  Eigen::MatrixXd points(4, 2);
  points << 0, 1, 2, 3, 4, 5, 6, 7;

  pl::tensor centred = pl::from_eigen(points) - pl::mean(pl::from_eigen(points), 0);
  auto const map = pl::eigen_map(centred);
  std::cout << "length " << map.norm() * map.norm() << std::endl;

  Eigen::Matrix2d const covariance = map.transpose() * map / 3;
  std::cout << covariance << std::endl;
}
