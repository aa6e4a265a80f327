// error: placement: permute takes one axis for each dimension. Check the rank.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<int, dextents<3>> const x = zeros<int>(2, 3, 4);
#ifdef CONTROL
  tensor const y = permute<1, 0, 2>(x);
#else
  tensor const y = permute<1, 0>(x);
#endif
}
