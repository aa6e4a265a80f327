// error: placement: this gradient has not the shape of the convolution's result. Check the shapes and the options.
#include <placement/ops/conv2d_gradients.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x = zeros<float>(extents<1, 8, 8, 3>{});
#ifdef CONTROL
  tensor const g = zeros<float>(extents<1, 6, 6, 4>{});
#else
  tensor const g = zeros<float>(extents<1, 8, 8, 4>{});
#endif
  tensor const dw = conv2d_filter_gradient(x, g, extents<3, 3, 3, 4>{});
}
