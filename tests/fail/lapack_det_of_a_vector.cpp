// error: placement: this op takes a matrix, or a batch of matrices in the last two dimensions. Use reshape on a vector.
#include <placement/lapack.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const v{1., 2., 3., 4.};
#ifdef CONTROL
  tensor const d = det(reshape(v, shape(2, 2)));
#else
  tensor const d = det(v);
#endif
}
