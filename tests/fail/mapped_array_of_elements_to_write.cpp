// only error: placement: a mapped file is only read. Write map_npy<float const, 2>, or load it.
#include <placement/placement.hpp>

#include <placement/interop/npy_map.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  auto const m = map_npy<float const, 1>("x.npy");
#else
  auto const m = map_npy<float, 1>("x.npy");
#endif
}
