// error: placement: the planes have different shapes. Give every plane the rows and values of the first.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
#else
  tensor const a{{{1, 2}, {3, 4}}, {{5, 6}}};
#endif
}
