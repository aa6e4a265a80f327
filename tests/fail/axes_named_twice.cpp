// error: placement: there is no such axis in a tensor of this rank, or it is named twice. Axes are 0 to rank - 1, or -1 for the last.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}};
  tensor const b = sum(a, axis<0, -1>);
#else
  tensor const a{{1.f, 2.f}};
  tensor const b = sum(a, axis<1, -1>);
#endif
}
