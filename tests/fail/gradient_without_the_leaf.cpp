// error: placement: this expression does not depend on that leaf. Write leaf<0>(w) where it reads w.
#include <placement/gradient.hpp>

using namespace placement;

int main() {
  tensor const w{1.f, 2.f};
#ifdef CONTROL
  tensor const g = gradient<0>(sum(leaf<0>(w) * w));
#else
  tensor const g = gradient<1>(sum(leaf<0>(w) * w));
#endif
}
