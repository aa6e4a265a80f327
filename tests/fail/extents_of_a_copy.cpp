// error: placement: these tensors have different extents. Slice or reshape one.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, extents<2>> const a{1, 2};
  tensor<float, dextents<1>> const b = a;
#else
  tensor<float, extents<2>> const a{1, 2};
  tensor<float, extents<3>> const b = a;
#endif
}
