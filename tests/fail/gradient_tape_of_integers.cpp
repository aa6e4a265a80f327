// error: placement: a gradient_tape watches floating point. Write cast<float>(x).
#include <placement/gradient.hpp>

using namespace placement;

int main() {
  tensor const w{1, 2};
#ifdef CONTROL
  tensor const x = cast<float>(w);
  gradient_tape tape(x);
#else
  gradient_tape tape(w);
#endif
}
