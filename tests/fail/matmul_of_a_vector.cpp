// error: placement: matmul takes matrices. Use expand_dims to make a vector a row or a column.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}};
  tensor const b{{1.f}, {2.f}};
  tensor const c = matmul(a, b);
#else
  tensor const a{{1.f, 2.f}};
  tensor const b{1.f, 2.f};
  tensor const c = matmul(a, b);
#endif
}
