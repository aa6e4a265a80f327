// error: placement: this op does not take this element type. Write cast<T>(x), or use another op.
#include <placement/ops/bitwise.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const x{1.f, 2.f};
  tensor const m = cast<int>(x) & 1;
#else
  tensor const x{1.f, 2.f};
  tensor const m = x & 1.f;
#endif
}
