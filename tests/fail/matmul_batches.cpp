// error: placement: matmul's batches do not broadcast. Their extents must be equal or 1.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, extents<1, 1, 1>> const a{{{1}}};
  tensor<float, extents<2, 1, 1>> const b{{{1}}, {{2}}};
  tensor const c = matmul(a, b);
#else
  tensor<float, extents<3, 1, 1>> const a{{{1}}, {{2}}, {{3}}};
  tensor<float, extents<2, 1, 1>> const b{{{1}}, {{2}}};
  tensor const c = matmul(a, b);
#endif
}
