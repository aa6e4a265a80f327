// error: placement: images are of floating point. Write cast<float>(x).
#include <placement/ops/conv2d.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const x = ones<float>(1, 1, 1, 1);
#else
  tensor const x = ones<int>(1, 1, 1, 1);
#endif
  tensor const y = conv2d(x, x);
}
