// error: placement: this pool's window is larger than the images with their padding, or an option is out of range. Use a smaller one, or padding = same_padding.
#include <placement/ops/pool2d.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x = zeros<float>(extents<1, 1, 4, 1>{});
#ifdef CONTROL
  tensor const y = max_pool2d<pool2d_options{.window = {1, 2}}>(x);
#else
  tensor const y = max_pool2d(x);
#endif
}
