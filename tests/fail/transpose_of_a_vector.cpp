// error: placement: transpose takes a matrix. Use expand_dims to make a vector a row or a column.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}};
  tensor const b = transpose(a);
#else
  tensor const a{1.f, 2.f};
  tensor const b = transpose(a);
#endif
}
