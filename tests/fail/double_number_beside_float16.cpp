// error: placement: a double beside a tensor of floats. Write 2.f, or cast<double>(x).
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{float16(1), float16(2)};
#ifdef CONTROL
  tensor const y = x * 2.f;
#else
  tensor const y = x * 2.;
#endif
}
