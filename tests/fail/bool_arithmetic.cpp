// error: placement: this op does not take this element type. Write cast<T>(x), or use another op.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1, 0};
  tensor const b = a + a;
#else
  tensor const a{true, false};
  tensor const b = a + a;
#endif
}
