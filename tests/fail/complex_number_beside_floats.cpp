// error: placement: a complex number beside a tensor of real numbers. Write cast<std::complex<float>>(x).
#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const x{1.f, 2.f};
  tensor const m = cast<std::complex<float>>(x) * std::complex<float>(0, 1);
#else
  tensor const x{1.f, 2.f};
  tensor const m = x * std::complex<float>(0, 1);
#endif
}
