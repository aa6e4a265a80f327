// error: placement: one index per dimension. Check the rank.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
#ifdef CONTROL
  float const e = x(1, 0);
#else
  float const e = x(1, 0, 0);
#endif
  static_cast<void>(e);
}
