// error: placement: virtual_devices is empty. Give the limit of at least one part.
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  runtime const rt{memory::virtual_devices<64_MiB>{}};
#else
  runtime const rt{memory::virtual_devices<>{}};
#endif
}
