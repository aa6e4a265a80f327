// error: placement: these operands have different element types. Write cast<T>(x) on one of them.
#include <placement/ops/bitwise.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const x{1ul, 2ul};
  tensor const y{1l, 2l};
  tensor const m = cast<long>(x) + y;
#else
  tensor const x{1ul, 2ul};
  tensor const y{1l, 2l};
  tensor const m = x + y;
#endif
}
