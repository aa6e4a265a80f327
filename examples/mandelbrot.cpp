/// The Mandelbrot set: z = z^2 + c for all c at once, and the number of steps until |z| > 2. The
/// real part, the imaginary part and the number are one kernel in each step.

#include <placement/ops/linspace.hpp>
#include <placement/ops/meshgrid.hpp>
#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  int const height = 25, width = 57;
  auto const [re, im] =
      pl::meshgrid(pl::linspace(-2.075, 0.725, width), pl::linspace(-1.2, 1.2, height));
  pl::matrix<double> x = pl::zeros<double>(height, width), y = x;
  pl::matrix<int> steps = pl::zeros<int>(height, width);
  for (int step = 0; step != 30; ++step) {
    auto const inside = x * x + y * y <= 4;
    pl::evaluate(pl::into(x) = pl::where(inside, x * x - y * y + re, x),
                 pl::into(y) = pl::where(inside, 2 * x * y + im, y),
                 pl::into(steps) = pl::where(inside, steps + 1, steps));
  }
  auto const n = steps.read();
  for (int i = 0; i != height; ++i) {
    for (int j = 0; j != width; ++j)
      std::cout << (n(i, j) == 30 ? '#' : n(i, j) > 6 ? '+' : n(i, j) > 3 ? '.' : ' ');
    std::cout << '\n';
  }
}
