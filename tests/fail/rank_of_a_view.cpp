// error: placement: the value has a higher rank than the view. Slice or reshape it.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor a{1.f, 2.f};
  view(a) = tensor{3.f, 4.f};
#else
  tensor a{1.f, 2.f};
  view(a) = tensor{{3.f, 4.f}};
#endif
}
