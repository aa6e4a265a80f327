// error: placement: the rows have different lengths. Give every row as many values as the first.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
#else
  tensor const a{{1.f, 2.f}, {3.f}};
#endif
}
