// error: placement: stack takes tensors of one shape. Slice or reshape one, or use concat.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  auto const x = zeros<float>(extents<2, 3>{});
#ifdef CONTROL
  auto const y = ones<float>(extents<2, 3>{});
#else
  auto const y = ones<float>(extents<1, 3>{});
#endif
  tensor const z = stack(0, x, y);
}
