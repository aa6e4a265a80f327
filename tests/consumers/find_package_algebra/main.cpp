// Linear algebra and a transform by the libraries that CMake found, in two files of one program.
#include <placement/fft.hpp>
#include <placement/lapack.hpp>
#include <placement/placement.hpp>

#include <cstdio>

namespace pl = placement;

double determinant_of_other();

int main() {
  pl::tensor const a{{2., 0.}, {0., 4.}};
  pl::tensor const x = pl::solve(a, pl::tensor{2., 4.});
  pl::tensor const sums = pl::real(pl::rfft(pl::tensor{1., 2., 3., 4.}));
  if (x.read()[1] != 1 || sums.read()[0] != 10 || determinant_of_other() != 8) return 1;
  std::printf("consumer of placement %d.%d.%d\n", PLACEMENT_VERSION_MAJOR, PLACEMENT_VERSION_MINOR,
              PLACEMENT_VERSION_PATCH);
}
