// only error: placement: the expression has another rank than the tensor. Reshape, reduce or expand_dims it.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  tensor const v{1.f, 2.f};
  tensor<float, dextents<2>> q = a;
  q = expand_dims(v, 0);
#else
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  tensor const v{1.f, 2.f};
  tensor<float, dextents<2>> q = a;
  q = v;
#endif
}
