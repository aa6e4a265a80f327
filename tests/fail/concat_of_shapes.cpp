// error: placement: these shapes cannot be joined. Their extents must be equal but along the axis: slice or reshape one.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  auto const x = zeros<float>(extents<2, 3>{});
#ifdef CONTROL
  auto const y = zeros<float>(extents<4, 3>{});
#else
  auto const y = zeros<float>(extents<2, 4>{});
#endif
  tensor const z = concat(axis<0>, x, y);
}
