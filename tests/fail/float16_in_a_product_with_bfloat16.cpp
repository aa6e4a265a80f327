// error: placement: these operands have different element types. Write cast<T>(x) on one of them.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a{{float16(1), float16(2)}, {float16(3), float16(4)}};
#ifdef CONTROL
  tensor const c = matmul(a, a);
#else
  tensor const c = matmul(a, cast<bfloat16>(a));
#endif
}
