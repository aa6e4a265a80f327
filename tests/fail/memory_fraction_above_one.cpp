// error: placement: a memory fraction is above 0 and at most 1. Write fraction<0.5> for half.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  runtime const rt{memory::growth{} | memory::fraction<0.75>{}};
#else
  runtime const rt{memory::growth{} | memory::fraction<1.5>{}};
#endif
}
