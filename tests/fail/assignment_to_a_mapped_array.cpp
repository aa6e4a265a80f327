// error: placement: only views of a tensor are assigned to. Write tensor t = e, or slice(view(t), ...) = e.
#include <placement/placement.hpp>

#include <placement/interop/npy_map.hpp>

using namespace placement;

int main() {
  auto const m = map_npy<float const, 1>("x.npy");
#ifdef CONTROL
  tensor x = m;
  x = m + 1.f;
#else
  m = m + 1.f;
#endif
}
