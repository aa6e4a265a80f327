// only error: placement: an array is no bool. Write item(x).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  if (item(sum(a) > 3.f)) return 1;
#else
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  if (sum(a) > 3.f) return 1;
#endif
}
