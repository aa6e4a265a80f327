// A program that a gradient tape records, by placement::gradient or by -DPLACEMENT_GRADIENTS.
#include <placement/placement.hpp>

namespace pl = placement;

int main() {
  pl::tensor w{{1.f, 2.f}, {3.f, 4.f}};
  pl::gradient_tape tape(w);
  pl::tensor loss = pl::sum(w * w);
  return to_string(tape.gradient(loss, w)) == "[[2 4]\n [6 8]]" ? 0 : 1;
}
