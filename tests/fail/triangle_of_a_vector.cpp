// error: placement: tril and triu take a matrix or more. Use expand_dims on a vector.
#include <placement/ops/tril.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{1.f, 2.f};
#ifdef CONTROL
  tensor const y = tril(expand_dims(x, axis<0>));
#else
  tensor const y = tril(x);
#endif
  static_cast<void>(y);
}
