// error: placement: slice has two ellipses. Give one range per dimension.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{{1.f, 2.f}, {3.f, 4.f}};
#ifdef CONTROL
  tensor const y = slice(x, ellipsis, 0);
#else
  tensor const y = slice(x, ellipsis, 0, ellipsis);
#endif
  static_cast<void>(y);
}
