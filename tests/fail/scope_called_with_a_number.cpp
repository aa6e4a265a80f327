// error: placement: a scope is called with an expression or a tensor. Write scope(matmul(a, b)).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  with_device const scope(gpu<0>);
  tensor const a = scope(tensor{1.f, 2.f});
#else
  with_device const scope(gpu<0>);
  auto const a = scope(2.f);
#endif
}
