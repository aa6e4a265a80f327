// error: placement: the value has another element type than the view. Write cast<T>(...).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor a{1.f, 2.f};
  view(a) = tensor{3.f, 4.f};
#else
  tensor a{1.f, 2.f};
  view(a) = tensor{3, 4};
#endif
}
