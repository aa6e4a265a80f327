// error: placement: whole, growth and stream_ordered exclude each other. Keep one of them, once.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  runtime const rt{memory::growth{} | memory::fraction{0.5}};
#else
  runtime const rt{memory::growth{} | memory::whole{}};
#endif
}
