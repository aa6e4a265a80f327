// error: placement: the extents that this product sums over differ. Transpose one side, or
#include <placement/ops/dot.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2, 3>> const a{{1, 2, 3}, {4, 5, 6}};
#ifdef CONTROL
  tensor const c = dot(a, transpose(a));
#else
  tensor const c = dot(a, a);
#endif
}
