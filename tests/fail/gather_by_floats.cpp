// error: placement: the indices of gather are integers. Write cast<int>(x).
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{1.f, 2.f};
#ifdef CONTROL
  tensor const y = gather(x, cast<int>(x));
#else
  tensor const y = gather(x, x);
#endif
}
