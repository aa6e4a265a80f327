// error: placement: virtual_devices is given twice. List all parts in one virtual_devices<...>.
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  runtime const rt{memory::virtual_devices<64_MiB, 64_MiB>{}};
#else
  runtime const rt{memory::virtual_devices<64_MiB>{} | memory::virtual_devices<64_MiB>{}};
#endif
}
