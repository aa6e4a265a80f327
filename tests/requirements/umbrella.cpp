#include <placement/placement.hpp>

int main() {
  namespace pl = placement;
  pl::tensor a{{1.f, 2.f}, {3.f, 4.f}};
  pl::tensor b = pl::concat(pl::axis<0>, pl::matmul(a, a), pl::relu(a));
  pl::tensor c = pl::stack(pl::axis<0>, a, a);
}
