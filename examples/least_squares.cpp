/// A polynomial through noisy points by LAPACK, which runs on the CPU also in a GPU scope, visibly.
/// The condition of the problem comes from the singular values.

#include <placement/expr/array2string.hpp>
#include <placement/lapack.hpp>
#include <placement/ops/linspace.hpp>
#include <placement/placement.hpp>

#include <cmath>
#include <iostream>

namespace pl = placement;

int main() {
  pl::set_seed(1);
  if (pl::is_available())
    std::cout << "There is a GPU. LAPACK's ops fall back to the CPU:" << std::endl;

  pl::tensor const x = pl::linspace<double>(-1., 1., 200);
  pl::tensor const noise = pl::normal<double>(pl::shape(200));
  pl::tensor const y = 3. - 2. * x + 0.5 * x * x + 0.01 * noise;

  pl::tensor const exponents = pl::cast<double>(pl::iota(pl::shape(3), 0));
  pl::tensor const powers = pl::pow(pl::expand_dims(x, -1), exponents);
  auto const fit = pl::lstsq(powers, y);
  std::cout << "lstsq: " << pl::array2string(fit.x, {.precision = 1}) << ", rank " << fit.rank
            << std::endl;

  pl::tensor const squares = pl::matmul(pl::transpose(powers), powers);
  pl::tensor const sides = pl::matmul(pl::transpose(powers), y);
  pl::tensor const by_solve = pl::solve(squares, sides);
  std::cout << "solve: " << pl::array2string(by_solve, {.precision = 1}) << std::endl;

  auto const [q, r] = pl::qr(powers);
  pl::tensor const by_qr = pl::solve(r, pl::tensor(pl::matmul(pl::transpose(q), y)));
  std::cout << "qr:    " << pl::array2string(by_qr, {.precision = 1}) << std::endl;

  auto const s = fit.s.read();
  std::cout << "condition " << std::lround(s[0] / s[2]) << std::endl;
}
