// error: placement: an extent is negative. Use dyn for an extent that is known at run time.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  extents<2, dyn> const x{{2, 3}};
  return static_cast<int>(x.rank) - 2;
#else
  extents<2, -3> const x{};
  return static_cast<int>(x.rank) - 2;
#endif
}
