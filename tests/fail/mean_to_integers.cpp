// error: placement: a mean is of floating point. Write mean<double>(x).
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a{1, 2, 3};
#ifdef CONTROL
  return static_cast<int>(item(mean<double>(a)));
#else
  return static_cast<int>(item(mean<int>(a)));
#endif
}
