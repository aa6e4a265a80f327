// error: placement: this reduction over no elements has no result. Check that what is reduced is not empty.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  auto const x = zeros<float>(extents<2, 3>{});
#else
  auto const x = zeros<float>(extents<0, 3>{});
#endif
  tensor const y = max(x);
}
