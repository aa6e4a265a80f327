// A product by the BLAS that CMake found.
#include <placement/interop/blas.hpp>
#include <placement/placement.hpp>

#include <cstdio>

namespace pl = placement;

int main() {
  pl::tensor<float, pl::dextents<2>> const a = pl::ones<float>(64, 64);
  pl::tensor<float, pl::dextents<2>> const c = pl::matmul(a, a);
  if (c.read()[0] != 64) return 1;
  std::printf("consumer of placement %d.%d.%d\n", PLACEMENT_VERSION_MAJOR, PLACEMENT_VERSION_MINOR,
              PLACEMENT_VERSION_PATCH);
}
