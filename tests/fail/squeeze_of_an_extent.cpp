// error: placement: squeeze takes an axis of extent 1. Slice or reduce it instead.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<int, extents<1, 3>> const x = zeros<int>(extents<1, 3>{});
#ifdef CONTROL
  tensor const y = squeeze(x, axis<0>);
#else
  tensor const y = squeeze(x, axis<1>);
#endif
}
