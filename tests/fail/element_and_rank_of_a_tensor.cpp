// only error: placement: the expression has another element type than the tensor. Write cast<T>(...).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const v{1.f, 2.f};
  tensor<double, dextents<2>> const q = expand_dims(cast<double>(v), 0);
#else
  tensor const v{1.f, 2.f};
  tensor<double, dextents<2>> const q = v;
#endif
}
