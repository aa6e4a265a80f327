// Computes on a simulated GPU, which proves the package, and prints the version.
#include <placement/placement.hpp>

#include <cstdio>

namespace pl = placement;

int main() {
  pl::set_simulated_gpus({.count = 1});
  pl::with_device scope("/gpu:0");
  pl::matrix<float> const x{{1.f, -2.f}, {3.f, -4.f}}, y = pl::relu(x * 2.f);
  if (pl::to_string(y) != "[[2 0]\n [6 0]]" || y.where() != pl::gpu0) return 1;
  std::printf("consumer of placement %d.%d.%d\n", PLACEMENT_VERSION_MAJOR, PLACEMENT_VERSION_MINOR,
              PLACEMENT_VERSION_PATCH);
}
