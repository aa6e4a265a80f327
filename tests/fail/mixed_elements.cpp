// error: placement: these operands have different element types. Write cast<T>(x) on one of them.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f}, b{1.f, 2.f};
  tensor const c = a + b;
#else
  tensor const a{1.f, 2.f};
  tensor const b{1, 2};
  tensor const c = a + b;
#endif
}
