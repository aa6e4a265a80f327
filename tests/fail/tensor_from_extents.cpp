// only error: placement: a tensor is not made from its extents. Write zeros<float>(2, 3), or tensor{2, 3} for a vector of these elements.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a = zeros<float>(2, 3);
  tensor const b{2, 3};
#else
  tensor const a(2, 3);
#endif
}
