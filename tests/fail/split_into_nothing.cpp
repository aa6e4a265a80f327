// error: placement: split into 0 parts. Give a number that divides the extent.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{1.f, 2.f};
#ifdef CONTROL
  auto const parts = split<2>(x);
#else
  auto const parts = split<0>(x);
#endif
  static_cast<void>(parts);
}
