// error: placement: a fraction is one number. Write fraction<0.5>.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  runtime const rt{memory::fraction<0.5>{}};
#else
  runtime const rt{memory::fraction<0.5, 0.25>{}};
#endif
}
