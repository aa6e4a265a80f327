// error: placement: slice has more ranges than the tensor has dimensions. Give one range per dimension.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f};
  tensor const b = slice(a, range{0, 1});
#else
  tensor const a{1.f, 2.f};
  tensor const b = slice(a, range{0, 1}, range{0, 1});
#endif
}
