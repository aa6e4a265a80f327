// error: placement: a gradient is of one number. Write gradient<0>(sum(e)), or mean(e).
#include <placement/gradient.hpp>

using namespace placement;

int main() {
  tensor const w{1.f, 2.f};
#ifdef CONTROL
  tensor const g = gradient<0>(sum(leaf<0>(w) * w));
#else
  tensor const g = gradient<0>(leaf<0>(w) * w);
#endif
}
