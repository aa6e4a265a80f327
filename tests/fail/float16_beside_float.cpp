// error: placement: these operands have different element types. Write cast<T>(x) on one of them.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a{1.f, 2.f};
  tensor const b{float16(1), float16(2)};
#ifdef CONTROL
  tensor const c = a + cast<float>(b);
#else
  tensor const c = a + b;
#endif
}
