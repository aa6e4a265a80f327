// error: placement: there is no such axis in a tensor of this rank. Axes are 0 to rank - 1, or -1 for the last.
#include <placement/ops/flip.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{1.f, 2.f};
#ifdef CONTROL
  tensor const y = flip(x, axis<0>);
#else
  tensor const y = flip(x, axis<1>);
#endif
  static_cast<void>(y);
}
