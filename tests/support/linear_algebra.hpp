#pragma once
/// Random matrices of each type that LAPACK and FFTW take, and distances between tensors.

#include <placement/ops/complex.hpp>
#include <placement/placement.hpp>
#include <support/elementwise.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

namespace test {

namespace pl = placement;

using lapack_types = types_of_run<types<float, double, std::complex<float>, std::complex<double>>,
                                  types<double, std::complex<float>>>;

template <class T> struct real_part {
  using type = T;
};
template <class R> struct real_part<std::complex<R>> {
  using type = R;
};
template <class T> using real_of = typename real_part<T>::type;

/// Elements between -1 and 1, the same for each seed.
template <class T, class X> pl::tensor<T, X> random_tensor(X const& shape, unsigned seed = 1) {
  std::vector<T> all(shape.count());
  std::uint32_t word = seed * 2654435761u + 12345u;
  auto const next = [&] {
    word = word * 1664525u + 1013904223u;
    return static_cast<real_of<T>>(static_cast<int>(word >> 16) - 32768) / real_of<T>{32768};
  };
  for (T& x : all) {
    if constexpr (pl::is_complex<T>) {
      auto const re = next();
      x = T(re, next());
    } else {
      x = next();
    }
  }
  return tensor_of(all, shape);
}

/// conj(transpose(x)) of matrices.
template <class X> auto adjoint(X const& x) {
  using T = typename X::value_type;
  if constexpr (pl::is_complex<T>) return pl::tensor(pl::transpose(pl::conj(x)));
  else return pl::tensor(pl::transpose(x));
}
/// A batch of identity matrices of n rows, in the shape of x.
template <class T> auto identity_of(pl::index_t n) {
  pl::tensor<T, pl::dextents<2>> eye = pl::zeros<T>(n, n);
  for (pl::index_t i = 0; i != n; ++i) eye.data()[i * n + i] = T{1};
  return eye;
}

/// The largest distance between elements; infinity for other shapes, or NaN.
template <class A, class B> double distance(A const& a, B const& b) {
  pl::tensor const x = a;
  pl::tensor const y = b;
  if (!(x.shape() == y.shape())) return std::numeric_limits<double>::infinity();
  auto const l = x.read();
  auto const r = y.read();
  double most = 0;
  for (std::size_t i = 0; i != l.size(); ++i) {
    auto const d = static_cast<double>(std::abs(l[i] - r[i]));
    if (!(d <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    most = std::max(most, d);
  }
  return most;
}
/// A bound for the distance of results of some thousand operations of order 1.
template <class T> double few_roundings() {
  return 200 * static_cast<double>(std::numeric_limits<real_of<T>>::epsilon());
}

}  // namespace test
