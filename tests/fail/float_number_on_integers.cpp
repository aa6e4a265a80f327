// error: placement: a floating-point number beside a tensor of integers. Write cast<float>(x), or an integer.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1, 2};
  tensor const b = a * 2;
#else
  tensor const a{1, 2};
  tensor const b = a * 0.5f;
#endif
}
