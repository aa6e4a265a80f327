/// Compute two results in one pass, and their common part once.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  pl::tensor r{1.f, 2.f}, angle{0.f, 0.7853982f};
  pl::tensor x = pl::zeros<float>(2), y = pl::zeros<float>(2);
  pl::evaluate(pl::into(x) = pl::sqrt(r) * pl::cos(angle),
               pl::into(y) = pl::sqrt(r) * pl::sin(angle));
  std::cout << pl::round(x * 100.f) / 100.f << ' ' << pl::round(y * 100.f) / 100.f << std::endl;
}
