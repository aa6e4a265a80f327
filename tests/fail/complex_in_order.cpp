// error: placement: this op does not take this element type. Write cast<T>(x), or use another op.
#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const z{std::complex<float>(1, 2), std::complex<float>(3, 4)};
  tensor const m = abs(z) < 1.f;
#else
  tensor const z{std::complex<float>(1, 2), std::complex<float>(3, 4)};
  tensor const m = z < z;
#endif
}
