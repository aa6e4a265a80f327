// error: placement: a split GPU has a limit per part. Drop limit or fraction, or the virtual_devices.
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  runtime const rt{memory::growth{} | memory::virtual_devices<64_MiB, 64_MiB>{}};
#else
  runtime const rt{memory::virtual_devices<64_MiB, 64_MiB>{} | memory::limit{512_MiB}};
#endif
}
