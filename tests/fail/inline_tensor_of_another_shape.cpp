// error: placement: the expression has other extents than the tensor. Slice or reshape it.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2, 3>, dev<kind::cpu, 0>> const a{{1, 2, 3}, {4, 5, 6}};
#ifdef CONTROL
  tensor<float, extents<3, 2>, dev<kind::cpu, 0>> const b = transpose(a);
#else
  tensor<float, extents<2, 3>, dev<kind::cpu, 0>> const b = transpose(a);
#endif
}
