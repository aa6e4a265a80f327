// only error: placement: an array is no bool. Write item(all(x)) or item(any(x)), or choose by element with where(x, y, z).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  bool const same = item(all(a == a));
  return same ? 0 : 1;
#else
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  bool const same = a == a;
  return same ? 0 : 1;
#endif
}
