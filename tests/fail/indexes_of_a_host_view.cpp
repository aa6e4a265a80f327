// error: placement: one index per dimension. Check the rank.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}};
  return a.read()(0, 1) == 2 ? 0 : 1;
#else
  tensor const a{{1.f, 2.f}};
  return a.read()(1) == 2 ? 0 : 1;
#endif
}
