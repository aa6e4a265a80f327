/// Two tones in noise, found by a Fourier transform of FFTW, and the noise removed by its inverse.

#include <placement/fft.hpp>
#include <placement/ops/complex.hpp>
#include <placement/ops/topk.hpp>
#include <placement/placement.hpp>

#include <complex>
#include <iostream>
#include <numbers>

namespace pl = placement;

int main() {
  pl::set_seed(1);
  pl::with_device cpu("/cpu:0");  // no op with complex numbers has a GPU kernel
  pl::index_t const n = 1000;     // one second
  pl::tensor const angle =
      2. * std::numbers::pi / static_cast<double>(n) * pl::cast<double>(pl::iota(pl::shape(n), 0));
  pl::tensor const tones = pl::sin(50. * angle) + 0.5 * pl::cos(120. * angle);
  pl::tensor const heard = tones + pl::normal<double>(pl::shape(n));

  pl::tensor const z = pl::rfft(heard);
  pl::tensor const strength = pl::abs(z);
  auto const loudest = pl::tensor(pl::argtopk(strength, 2)).read();
  std::cout << "The loudest tones have " << loudest[0] << " and " << loudest[1] << " Hz."
            << std::endl;

  pl::tensor const kept = z * pl::cast<std::complex<double>>(strength > 150.);
  pl::tensor const cleaned = pl::irfft(kept);
  double const before = pl::item(pl::mean(pl::square(heard - tones)));
  double const after = pl::item(pl::mean(pl::square(cleaned - tones)));
  std::cout << "The noise is " << (after < before / 50 ? "below" : "above")
            << " a fiftieth of what it was." << std::endl;
}
