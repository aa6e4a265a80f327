// error: placement: conv2d's images and filter differ in their channels. The filter's third extent is the number of channels divided by groups.
#include <placement/ops/conv2d.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x = zeros<float>(extents<1, 8, 8, 3>{});
#ifdef CONTROL
  tensor const w = zeros<float>(extents<3, 3, 3, 4>{});
#else
  tensor const w = zeros<float>(extents<3, 3, 1, 4>{});
#endif
  tensor const y = conv2d(x, w);
}
