// error: placement: matmul takes vectors, matrices and batches of them. Write a * b for a scalar.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a{{1.f, 2.f}};
  tensor const b = sum(a);
#ifdef CONTROL
  tensor const c = a * b;
#else
  tensor const c = matmul(a, b);
#endif
}
