// The second file, which includes the same headers.
#include <placement/fft.hpp>
#include <placement/lapack.hpp>
#include <placement/placement.hpp>

double determinant_of_other();
double determinant_of_other() {
  placement::tensor const a{{2., 0.}, {0., 4.}};
  return placement::item(placement::det(a));
}
