// only error: placement: the expression has another element type than the tensor. Write cast<T>(...).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const v{1.f, 2.f};
  tensor<double, dextents<1>> const q = cast<double>(v);
#else
  tensor const v{1.f, 2.f};
  tensor<double, dextents<1>> const q = v;
#endif
}
