// error: placement: this is no element type. Use bool, int8/16/32/64, uint8/16/32/64, float, double, float16, bfloat16 or, with placement/ops/complex.hpp, std::complex.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<int, dextents<1>> const a{1, 2};
#else
  tensor<long double, dextents<1>> const a;
#endif
}
