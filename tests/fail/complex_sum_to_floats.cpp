// error: placement: complex numbers do not sum to a real type. Write sum(real(x)) or sum(x).
#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const z{std::complex<float>(1, 2), std::complex<float>(3, 4)};
  tensor const m = sum(real(z));
#else
  tensor const z{std::complex<float>(1, 2), std::complex<float>(3, 4)};
  tensor const m = sum<float>(z);
#endif
}
