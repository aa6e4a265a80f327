// only error: placement: tensor<T> says no shape. Write tensor<float, dextents<2>> for two dimensions, or tensor t = x, which has the shape of x.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  tensor<float, dextents<2>> const b = a;
  auto const c = b + 1.f;
#else
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  tensor<float> const b = a;
  auto const c = b + 1.f;
#endif
}
