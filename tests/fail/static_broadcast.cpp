// error: placement: these shapes do not broadcast. Aligned at the right, extents must be equal or 1
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, extents<2>> const a{1, 2}, b{1, 2};
  tensor const c = a + b;
#else
  tensor<float, extents<2>> const a{1, 2};
  tensor<float, extents<3>> const b{1, 2, 3};
  tensor const c = a + b;
#endif
}
