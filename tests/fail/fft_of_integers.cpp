// error: placement: FFTW transforms float, double and complex numbers. Write cast<double>(x).
#include <placement/fft.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{1, 2, 3, 4};
#ifdef CONTROL
  tensor const y = fft(cast<float>(x));
#else
  tensor const y = fft(x);
#endif
}
