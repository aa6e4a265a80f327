// error: placement: a sum is a number. Write sum<int>(x), or any(x).
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a{true, false, true};
#ifdef CONTROL
  return static_cast<int>(item(sum<int>(a)));
#else
  return static_cast<int>(item(sum<bool>(a)));
#endif
}
