// error: placement: this op takes square matrices. Use lstsq, qr or svd on others, or check the shapes.
#include <placement/lapack.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<double, extents<2, 2>> const x{{1., 2.}, {3., 4.}};
  tensor const y = inverse(x);
#else
  tensor<double, extents<2, 3>> const x{{1., 2., 3.}, {4., 5., 6.}};
  tensor const y = inverse(x);
#endif
}
