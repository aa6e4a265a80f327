// error: placement: an operand is on another device than the op that reads it, and no copies are allowed. Move it with
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, dextents<1>, dev<kind::gpu, 1>> const a{1.f, 2.f};
#ifdef CONTROL
  evaluate(a + on(gpu<1>, exp(a)), no_copies);
#else
  evaluate(a + on(gpu<0>, exp(a)), no_copies);
#endif
}
