// error: placement: an op has no GPU kernel for this element type, and the scope is strict.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, dextents<2>> const a{{1, 2}, {3, 4}};
#else
  tensor<int, dextents<2>> const a{{1, 2}, {3, 4}};
#endif
  with_device const scope(gpu<0>, no_fallback);
  tensor const b = scope(matmul(a, a));
}
