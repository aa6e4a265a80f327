// error: placement: diagonal takes a matrix. Use expand_dims to make a vector a row or a column.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{1, 2, 3};
#ifdef CONTROL
  tensor const y = diagonal(expand_dims(x, 0));
#else
  tensor const y = diagonal(x);
#endif
}
