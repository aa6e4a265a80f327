// error: placement: a double beside a tensor of floats. Write 2.f, or cast<double>(x).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f};
  tensor const b = a * 0.5f;
#else
  tensor const a{1.f, 2.f};
  tensor const b = a * 0.5;
#endif
}
