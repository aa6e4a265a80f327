// error: placement: the expression has another rank than the tensor. Reshape, reduce or expand_dims it.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f};
  tensor<float, dextents<1>> b = a + a;
#else
  tensor const a{1.f, 2.f};
  tensor<float, dextents<2>> b = a + a;
#endif
}
