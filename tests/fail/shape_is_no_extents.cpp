// error: placement: the second argument of tensor is its shape. Write dextents<2> or extents<2, 3>.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, dextents<2>> const a;
#else
  tensor<float, float> const a;
#endif
}
