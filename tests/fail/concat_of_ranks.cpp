// error: placement: concat takes tensors of one rank. Use expand_dims, or stack.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
#ifdef CONTROL
  tensor const y{{5.f, 6.f}};
#else
  tensor const y{5.f, 6.f};
#endif
  tensor const z = concat(0, x, y);
}
