// error: placement: matmul's inner extents differ. Transpose one side, or check the shapes.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, extents<1, 2>> const a{{1, 2}};
  tensor const c = matmul(a, transpose(a));
#else
  tensor<float, extents<1, 2>> const a{{1, 2}};
  tensor const c = matmul(a, a);
#endif
}
