// error: placement: a tensor has at most 8 dimensions. Reshape it to fewer.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, dextents<8>> const a;
#else
  tensor<float, dextents<9>> const a;
#endif
}
