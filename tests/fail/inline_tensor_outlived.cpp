// error: placement: this expression names tensors that hold their elements themselves, and may outlive them.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2>, dev<kind::cpu, 0>> const a{1.f, 2.f};
#ifdef CONTROL
  tensor const b = a + 1.f;
#else
  auto const e = a + 1.f;
  tensor const b = e;
#endif
}
