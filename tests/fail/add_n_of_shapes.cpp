// error: placement: add_n takes operands of one shape. Slice or reshape one, or use operator+, which broadcasts.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  auto const x = zeros<float>(extents<2, 3>{});
#ifdef CONTROL
  auto const y = ones<float>(extents<2, 3>{});
#else
  auto const y = ones<float>(extents<1, 3>{});
#endif
  tensor const z = add_n(x, x, y);
}
