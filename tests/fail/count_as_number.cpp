// only error: placement: an array is no number. Write item(x), as in item(sum(a)).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  long const n = item(count_nonzero(a));
  return n > 0;
#else
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  long const n = count_nonzero(a);
  return n > 0;
#endif
}
