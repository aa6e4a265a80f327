// error: placement: broadcast_to takes a shape of the operand's rank or a higher one.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{{1, 2, 3}};
#ifdef CONTROL
  tensor const y = broadcast_to(x, shape(3, 3));
#else
  tensor const y = broadcast_to(x, shape(3));
#endif
}
