// error: placement: a tensor's device is one device. Write dev<kind::gpu, 0>, or leave it out.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, dextents<1>, dev<kind::gpu, 0>> const a{1.f};
#else
  tensor<float, dextents<1>, dev<kind::gpu, any_index>> const a{1.f};
#endif
}
