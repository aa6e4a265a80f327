// error: placement: this op has no derivative. Write stop_gradient(x) around its operand, or give the op a pullback.
#include <placement/gradient.hpp>

using namespace placement;

int main() {
  tensor const w{1.f, 2.f};
#ifdef CONTROL
  tensor const g = gradient<0>(sum(sort(stop_gradient(leaf<0>(w))) * leaf<0>(w)));
#else
  tensor const g = gradient<0>(sum(sort(leaf<0>(w)) * leaf<0>(w)));
#endif
}
