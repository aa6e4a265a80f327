// error: placement: an operand is on another device than the op that reads it, and no copies are allowed. Move it with
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  with_device const scope(gpu<1>, no_copies);
#else
  with_device const scope(gpu<0>, no_copies);
#endif
  tensor<float, dextents<1>, dev<kind::gpu, 1>> const a{1.f, 2.f};
  tensor const b = scope(a * 2.f);
}
