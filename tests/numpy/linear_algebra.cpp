// Computes linear algebra and transforms for linear_algebra.py, which compares them with NumPy's.
//
//   linear_algebra FOLDER    writes operands and results, and cases.txt:
//   function|argument|operands|result
#include "cases.hpp"

#include <placement/fft.hpp>
#include <placement/lapack.hpp>
#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>

#include <complex>
#include <iostream>
#include <string>

namespace {

using namespace placement;

/// Numbers between -1 and 1 that differ in both parts.
template <class T, class X> tensor<T, X> numbers(X const& shape, int seed) {
  tensor const re = uniform<double>(shape) * 2. - 1.;
  if constexpr (is_complex<T>) {
    tensor const im = uniform<double>(shape) - 0.25 * seed;
    return cast<T>(make_complex(re, im));
  } else {
    return cast<T>(re);
  }
}

template <class T> void add_equations(cases& to) {
  auto const a = numbers<T>(shape(4, 4), 1);
  auto const square = numbers<T>(shape(2, 3, 3), 2);
  auto const b = numbers<T>(shape(4, 3), 3);
  auto const v = numbers<T>(shape(4), 1);
  auto const sides = numbers<T>(shape(5, 1, 3, 2), 2);
  to.add("solve", "", solve(a, b), a, b);
  to.add("solve", "", solve(a, v), a, v);
  to.add("solve", "", solve(square, sides), square, sides);
  for (auto const& x : {a, numbers<T>(shape(1, 1), 1), tensor<T, dextents<2>>(zeros<T>(0, 0))}) {
    to.add("inv", "", inverse(x), x);
    to.add("det", "", det(x), x);
  }
  to.add("inv", "", inverse(square), square);
  to.add("det", "", det(square), square);
}
template <class T, class X> void add_factors(cases& to, X const& x) {
  auto const [q, r] = qr(x);
  to.add("qr", "('reduced', 0)", q, x);
  to.add("qr", "('reduced', 1)", r, x);
  auto const whole = qr(x, complete_factors);
  to.add("qr", "('complete', 0)", whole.q, x);
  to.add("qr", "('complete', 1)", whole.r, x);
  auto const f = svd(x);
  to.add("svd", "s", f.s, x);
  to.add("svdvals", "", svdvals(x), x);
  to.add("svd", "(True, product)", f.u, x, f.s, f.vh);
  auto const g = svd(x, reduced_factors);
  to.add("svd", "(False, product)", g.u, x, g.s, g.vh);
}
template <class T> void add_symmetric(cases& to) {
  auto const x = numbers<T>(shape(2, 4, 4), 1);
  auto const adjoint = [](auto const& y) {
    if constexpr (is_complex<T>) return tensor(transpose(conj(y)));
    else return tensor(transpose(y));
  };
  tensor const positive = matmul(x, adjoint(x));
  to.add("cholesky", "", cholesky(positive), positive);
  to.add("eigvalsh", "", eigvalsh(x), x);
  auto const [w, v] = eigh(x);
  to.add("eigh", "values", w, x);
  to.add("eigh", "vectors", v, x, w);
}
template <class T> void add_least_squares(cases& to) {
  for (auto const& a : {numbers<T>(shape(6, 3), 1), numbers<T>(shape(3, 6), 2)}) {
    auto const b = numbers<T>(shape(a.shape().at(0), 2), 3);
    auto const f = lstsq(a, b);
    to.add("lstsq", "0", f.x, a, b);
    to.add("lstsq", "1", f.residuals, a, b);
    to.add("lstsq", "3", f.s, a, b);
    auto const v = numbers<T>(shape(a.shape().at(0)), 1);
    auto const g = lstsq(a, v, 0.5);
    to.add("lstsq of 0.5", "0", g.x, a, v);
    to.add("lstsq of 0.5", "1", g.residuals, a, v);
  }
}
template <class T> void add_transforms(cases& to) {
  for (index_t n : {1, 2, 7, 12}) {
    auto const x = numbers<T>(shape(3, n, 4), 1);
    to.add("fft", "(None, 1, None)", fft(x, axis<1>), x);
    to.add("ifft", "(None, -2, 'forward')", ifft(x, -2, fft_norm::forward), x);
    to.add("fft", "(5, 1, 'ortho')", fft(x, 1, fft_length{5}, fft_norm::ortho), x);
    to.add("ifft", "(9, 1, None)", ifft(x, 1, fft_length{9}), x);
    to.add("fft2", "", fft2(x), x);
    to.add("ifft2", "", ifft2(x), x);
    if constexpr (is_complex<T>) {
      to.add("irfft", "(11, 1, None)", irfft(x, 1, fft_length{11}), x);
      to.add("irfft", "(None, 2, 'ortho')", irfft(x, 2, fft_norm::ortho), x);
    } else {
      to.add("rfft", "(None, 1, None)", rfft(x, axis<1>), x);
      to.add("rfft", "(5, 1, 'forward')", rfft(x, 1, fft_length{5}, fft_norm::forward), x);
    }
  }
}
template <class T> void add_all(cases& to) {
  add_equations<T>(to);
  add_factors<T>(to, numbers<T>(shape(5, 3), 1));
  add_factors<T>(to, numbers<T>(shape(3, 5), 1));
  add_factors<T>(to, numbers<T>(shape(2, 4, 3), 2));
  add_symmetric<T>(to);
  add_least_squares<T>(to);
  add_transforms<T>(to);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) return 2;
  set_seed(1);
  cases to(arguments[1]);
  add_all<float>(to);
  add_all<double>(to);
  add_all<std::complex<float>>(to);
  add_all<std::complex<double>>(to);
  return 0;
} catch (error const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
