// error: placement: any takes bools. Compare first: any(x > 0).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1, 2};
  tensor const b = any(a > 0);
#else
  tensor const a{1, 2};
  tensor const b = any(a);
#endif
}
