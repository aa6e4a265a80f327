// error: placement: the third argument of tensor is its device. Write dev<kind::gpu, 0>.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, dextents<1>, dev<kind::gpu, 0>> const a{1.f};
#else
  tensor<float, dextents<1>, float> const a{1.f};
#endif
}
