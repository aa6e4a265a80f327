// error: placement: permute takes each axis once. Axes are 0 to rank - 1, or -1 for the last.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}};
  tensor const b = permute<1, 0>(a);
#else
  tensor const a{{1.f, 2.f}};
  tensor const b = permute<1, 1>(a);
#endif
}
