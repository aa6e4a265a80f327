// only error: placement: an array is no bool. Write item(all(x)) or item(any(x)), or choose by element with where(x, y, z).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  tensor const b = where(a > 0.f, a, -a);
#else
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  tensor const b = a > 0.f ? a : a;
#endif
}
