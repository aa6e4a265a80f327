// Computes arrays of integers of each type and of complex numbers for arrays_types.py, which
// compares them with NumPy's.
//
//   arrays_types FOLDER DEVICE    reads operands left_i2.npy, right_i2.npy, ... and writes results
//   function.i2.npy
#include <placement/interop/npy.hpp>
#include <placement/ops/bitwise.hpp>
#include <placement/ops/complex.hpp>
#include <placement/ops/isclose.hpp>
#include <placement/placement.hpp>

#include <cstdint>
#include <iostream>
#include <string>

namespace {

using namespace placement;

template <class T> void compute(std::string const& folder, std::string const& code) {
  auto const x = load_npy<T, 1>(folder + "/left_" + code + ".npy");
  auto const y = load_npy<T, 1>(folder + "/right_" + code + ".npy");
  auto const save = [&](std::string const& function, auto const& result) {
    save_npy(folder + "/" + function + "." + code + ".npy", tensor(result));
  };
  save("bitwise_and", x & y);
  save("bitwise_or", x | y);
  save("bitwise_xor", x ^ y);
  save("invert", ~x);
  if constexpr (!std::is_same_v<T, bool>) {
    save("left_shift", x << y);
    save("right_shift", x >> y);
    save("add", x + y);
    save("multiply", x * y);
    save("maximum", maximum(x, y));
    save("sort", sort(x));
  }
  save("less", x < y);
}

/// Complex numbers: the left ones are finite, some of the right ones are not.
template <class C> void compute_complex(std::string const& folder, std::string const& code) {
  auto const x = load_npy<C, 1>(folder + "/left_" + code + ".npy");
  auto const y = load_npy<C, 1>(folder + "/right_" + code + ".npy");
  auto const save = [&](std::string const& function, auto const& result) {
    save_npy(folder + "/" + function + "." + code + ".npy", tensor(result));
  };
  save("add", x + y);
  save("subtract", x - y);
  save("multiply", x * y);
  save("divide", x / y);
  save("equal", x == y);
  save("power", pow(x, y));
  save("isclose", isclose(x, y, {.rtol = 0.5, .atol = 1.}));
  save("conj", conj(y));
  save("abs", abs(y));
  save("angle", angle(y));
  save("exp", exp(y));
  save("sqrt", sqrt(y));
  save("log", log(y));
  save("reciprocal", reciprocal(y));
  save("real", real(y));
  save("imag", imag(y));
  save("sum", sum(x));
  save("mean", mean(x));
  save("prod", prod(x / cast<C>(abs(x))));
  save("cumsum", cumsum(x));
  tensor const m = reshape<50, -1>(x);
  save("matmul", matmul(m, transpose(m)));
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) return 2;
  placement::with_device const scope(arguments[2]);
  std::string const folder = arguments[1];
  compute<bool>(folder, "b1");
  compute<std::int8_t>(folder, "i1");
  compute<std::uint8_t>(folder, "u1");
  compute<std::int16_t>(folder, "i2");
  compute<std::uint16_t>(folder, "u2");
  compute<std::int32_t>(folder, "i4");
  compute<std::uint32_t>(folder, "u4");
  compute<std::int64_t>(folder, "i8");
  compute<std::uint64_t>(folder, "u8");
  compute_complex<std::complex<float>>(folder, "c8");
  compute_complex<std::complex<double>>(folder, "c16");
  return 0;
} catch (placement::error const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
