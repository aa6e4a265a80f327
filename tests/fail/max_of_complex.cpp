// error: placement: this op does not take complex numbers. Write abs(x), real(x) or imag(x).
#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const z{std::complex<float>(1, 2), std::complex<float>(3, 4)};
  tensor const m = max(abs(z));
#else
  tensor const z{std::complex<float>(1, 2), std::complex<float>(3, 4)};
  tensor const m = max(z);
#endif
}
