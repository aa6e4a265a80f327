// error: placement: two caps on one device. Keep one of limit and fraction.
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  runtime const rt{memory::limit{512_MiB}};
#else
  runtime const rt{memory::limit{512_MiB} | memory::fraction{0.5}};
#endif
}
