// error: placement: this extent of reshape cannot be inferred. One may be -1, and the others divide the number of elements.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2, 3>> const x = zeros<float>(extents<2, 3>{});
#ifdef CONTROL
  tensor const y = reshape<3, -1>(x);
#else
  tensor const y = reshape<4, -1>(x);
#endif
  static_cast<void>(y);
}
