// error: placement: the expression has other extents than the tensor. Slice or reshape it.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, extents<2>> const a{1, 2};
  tensor<float, extents<2>> const b = a + a;
#else
  tensor<float, extents<2>> const a{1, 2};
  tensor<float, extents<3>> const b = a + a;
#endif
}
