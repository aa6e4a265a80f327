// only error: placement: an array is no bool. Write item(all(x)) or item(any(x)), or choose by element with where(x, y, z).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  if (item(any(a != a))) return 1;
#else
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  if (a != a) return 1;
#endif
}
