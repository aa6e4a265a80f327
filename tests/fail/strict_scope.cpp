// error: placement: an op has no GPU kernel for this element type, and the scope is strict.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}};
  with_device const scope(gpu<0>, strict);
  tensor const b = scope(matmul(a, transpose(a)));
#else
  tensor const a{{1, 2}};
  with_device const scope(gpu<0>, strict);
  tensor const b = scope(matmul(a, transpose(a)));
#endif
}
