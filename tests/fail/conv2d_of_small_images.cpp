// error: placement: conv2d's filter is larger than the images with their padding, or an option is out of range. Use a smaller one, or padding = same_padding.
#include <placement/ops/conv2d.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x = zeros<float>(extents<1, 4, 4, 1>{});
  tensor const w = zeros<float>(extents<5, 5, 1, 4>{});
#ifdef CONTROL
  tensor const y = conv2d<conv2d_options{.padding = same_padding}>(x, w);
#else
  tensor const y = conv2d(x, w);
#endif
}
