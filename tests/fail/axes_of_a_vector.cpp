// error: placement: a reduction names more axes than the tensor has. Name each axis once.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f};
  tensor const b = sum(a, 0);
#else
  tensor const a{1.f, 2.f};
  tensor const b = sum(a, 0, 1);
#endif
}
