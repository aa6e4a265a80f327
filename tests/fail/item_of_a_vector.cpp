// error: placement: item() is of one element. Reduce it first, as with sum(x), or use read().
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<3>> const a{1.f, 2.f, 3.f};
#ifdef CONTROL
  return static_cast<int>(item(sum(a)));
#else
  return static_cast<int>(item(a + a));
#endif
}
