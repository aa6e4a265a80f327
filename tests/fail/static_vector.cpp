// error: placement: these values do not have the shape of the type. Check the extents.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, extents<3>> const a{1.f, 2.f, 3.f};
#else
  tensor<float, extents<3>> const a{1.f, 2.f};
#endif
}
