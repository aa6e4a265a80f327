// error: placement: a scalar has no axis to reduce.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f};
  tensor const b = sum(a, 0);
#else
  tensor const a{1.f, 2.f};
  tensor const b = sum(sum(a), 0);
#endif
}
