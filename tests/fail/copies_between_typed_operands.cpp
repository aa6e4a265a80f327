// error: placement: an operand is on another device than the op that reads it, and no copies are allowed. Move it with
#include <placement/placement.hpp>

using namespace placement;

using on_first = tensor<float, dextents<1>, dev<kind::gpu, 0>>;
using on_second = tensor<float, dextents<1>, dev<kind::gpu, 1>>;

int main() {
  on_first const a{1.f, 2.f};
#ifdef CONTROL
  on_first const b{3.f, 4.f};
#else
  on_second const b{3.f, 4.f};
#endif
  evaluate(a + b, no_copies);
}
