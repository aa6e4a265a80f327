// error: placement: floating-point elements do not sum to an integer type. Write sum<double>(x), or cast<int>(sum(x)).
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a{1.f, 2.f, 3.f};
#ifdef CONTROL
  return static_cast<int>(item(sum<double>(a)));
#else
  return static_cast<int>(item(sum<int>(a)));
#endif
}
