// only error: placement: an array is no number. Write item(x), as in item(sum(a)).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  float const total = item(sum(a));
  return total > 0;
#else
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  float const total = sum(a);
  return total > 0;
#endif
}
