// error: placement: the condition of where is not bool. Write a comparison: where(x > 0, ...).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f};
  tensor const b = where(a > 0.f, a, a);
#else
  tensor const a{1.f, 2.f};
  tensor const b = where(a, a, a);
#endif
}
