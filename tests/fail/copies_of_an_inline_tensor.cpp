// error: placement: an operand is on another device than the op that reads it, and no copies are allowed. Move it with
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2>, dev<kind::cpu, 0>> const a{1.f, 2.f};
#ifdef CONTROL
  tensor<float, extents<2>, dev<kind::cpu, 0>> const b{3.f, 4.f};
#else
  tensor<float, extents<2>, dev<kind::gpu, 0>> const b{3.f, 4.f};
#endif
  evaluate(a * b, no_copies);
}
