// error: placement: tensordot sums over as many axes as both operands have, or fewer.
#include <placement/ops/tensordot.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a = zeros<float>(2, 3);
#ifdef CONTROL
  tensor const c = tensordot(a, a);
#else
  tensor const c = tensordot<3>(a, a);
#endif
}
