// error: placement: a budget is below 255 copies. Leave it out to allow more.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  with_device const scope("", at_most<copies, 254>{});
#else
  with_device const scope("", at_most<copies, 1000>{});
#endif
}
