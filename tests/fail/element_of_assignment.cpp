// error: placement: the expression has another element type than the tensor. Write cast<T>(...).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f};
  tensor<float, dextents<1>> const b = a + a;
#else
  tensor const a{1.f, 2.f};
  tensor<double, dextents<1>> const b = a + a;
#endif
}
