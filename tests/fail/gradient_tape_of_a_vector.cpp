// error: placement: a gradient is of one number. Write mean(loss).
#include <placement/gradient.hpp>

using namespace placement;

int main() {
  tensor const w{1.f, 2.f};
  gradient_tape tape(w);
#ifdef CONTROL
  tensor const g = tape.gradient(mean(w * w), w);
#else
  tensor const g = tape.gradient(w * w, w);
#endif
}
