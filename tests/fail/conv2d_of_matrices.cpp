// error: placement: images have the dimensions (N, height, width, channels), filters (height, width, channels / groups, filters). Reshape them.
#include <placement/ops/conv2d.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x = ones<float>(4, 4), w = ones<float>(2, 2);
#ifdef CONTROL
  tensor const y = conv2d(reshape(x, shape(1, 4, 4, 1)), reshape(w, shape(2, 2, 1, 1)));
#else
  tensor const y = conv2d(x, w);
#endif
}
