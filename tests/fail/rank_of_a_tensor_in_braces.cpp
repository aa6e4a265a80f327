// only error: placement: the expression has another rank than the tensor. Reshape, reduce or expand_dims it.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, extents<2>> const v{1.f, 2.f};
  tensor<float, dextents<2>> const q{expand_dims(v, 0)};
#else
  tensor<float, extents<2>> const v{1.f, 2.f};
  tensor<float, dextents<2>> const q{v};
#endif
}
