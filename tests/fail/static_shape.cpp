// error: placement: these values do not have the shape of the type. Check the extents.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor<float, extents<2, 2>> const a{{1, 2}, {3, 4}};
#else
  tensor<float, extents<2, 2>> const a{{1, 2}, {3, 4}, {5, 6}};
#endif
}
