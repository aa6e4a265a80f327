// error: placement: layer_norm's scale or offset has another size than the rows of x. Give one number for each element of a row.
#include <placement/nets.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
#ifdef CONTROL
  tensor<float, extents<3>> const scale{1, 2, 3};
#else
  tensor<float, extents<2>> const scale{1, 2};
#endif
  tensor<float, extents<3>> const offset{0, 0, 0};
  tensor const y = layer_norm(x, scale, offset);
}
