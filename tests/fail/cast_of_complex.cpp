// error: placement: this cast would drop the imaginary part. Write real(x), imag(x) or abs(x).
#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const z{std::complex<float>(1, 2), std::complex<float>(3, 4)};
  tensor const m = real(z);
#else
  tensor const z{std::complex<float>(1, 2), std::complex<float>(3, 4)};
  tensor const m = cast<float>(z);
#endif
}
