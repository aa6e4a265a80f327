// error: placement: reshape keeps the number of elements. Check the extents.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, extents<2, 2>> const a{{1, 2}, {3, 4}};
  tensor const b = reshape<4>(a);
#else
  tensor<float, extents<2, 2>> const a{{1, 2}, {3, 4}};
  tensor const b = reshape<3>(a);
#endif
}
