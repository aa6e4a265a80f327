// error: placement: trim_and_retry is given twice. Keep one.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  runtime const rt{memory::growth{} | memory::trim_and_retry{}};
#else
  runtime const rt{memory::trim_and_retry{} | memory::trim_and_retry{}};
#endif
}
