// error: placement: batch_norm takes rows of channels, (N, C) or (N, H, W, C).
#include <placement/nets.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
#else
  tensor const x{1.f, 2.f};
#endif
  auto const m = batch_moments(x);
}
