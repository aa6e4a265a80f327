// error: placement: this is no element type. Use bool, int8/32/64, uint8/32, float, double, float16 or bfloat16.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<int, dextents<1>> const a{1, 2};
#else
  tensor<short, dextents<1>> const a;
#endif
}
