// error: placement: a virtual device has no memory. Give each part a limit above 0.
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  runtime const rt{memory::virtual_devices<64_MiB, 1_MiB>{}};
#else
  runtime const rt{memory::virtual_devices<64_MiB, 0_MiB>{}};
#endif
}
