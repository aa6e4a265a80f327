// error: placement: this operand cannot be broadcast to that shape. Aligned at the right
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<int, extents<2, 3>> const x = zeros<int>(extents<2, 3>{});
#ifdef CONTROL
  tensor const y = broadcast_to<4, 2, 3>(x);
#else
  tensor const y = broadcast_to<2, 1>(x);
#endif
}
