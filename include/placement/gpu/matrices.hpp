#pragma once
/// Kernels around calls of a library for linear algebra: they copy matrices between row-major and
/// column-major order, and take factors apart. Complex numbers are pairs of parts here, because
/// std::complex has no operators on GPUs.

#include <placement/gpu/each_index.hpp>
#include <placement/math/complex.hpp>

#include <cstdint>
#include <type_traits>

namespace placement { inline namespace v0_1 { namespace detail {

/// Arithmetic of T and complex_parts in device code.
template <class T> struct parts_of {
  using real = T;
  static PLACEMENT_HD T from(T x) { return x; }
  static PLACEMENT_HD T conjugate(T x) { return x; }
  static PLACEMENT_HD T product(T x, T y) { return x * y; }
  static PLACEMENT_HD T negative(T x) { return -x; }
  static PLACEMENT_HD T scaled(T x, T by) { return x * by; }
};
template <class R> struct parts_of<complex_parts<R>> {
  using real = R;
  using T = complex_parts<R>;
  static PLACEMENT_HD T from(R x) { return {x, R{}}; }
  static PLACEMENT_HD T conjugate(T x) { return {x.re, -x.im}; }
  static PLACEMENT_HD T product(T x, T y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
  static PLACEMENT_HD T negative(T x) { return {-x.re, -x.im}; }
  static PLACEMENT_HD T scaled(T x, R by) { return {x.re * by, x.im * by}; }
};

/// to, columns x rows in row-major order, becomes the transpose of `from`; the first element of the
/// next matrix is a step further.
template <class T> struct transpose_matrix {
  T const* from;
  T* to;
  index_t rows, columns, from_step = 0, to_step = 0;
  bool conjugates = false;

  PLACEMENT_HD void operator()(index_t at) const {
    index_t const size = rows * columns, matrix = at / size, i = at % size / columns,
                  j = at % columns;
    T const x = from[matrix * from_step + i * columns + j];
    to[matrix * to_step + j * rows + i] = conjugates ? parts_of<T>::conjugate(x) : x;
  }
};
/// The elements above the diagonals of n x n matrices become 0.
template <class T> struct clear_upper {
  T* x;
  index_t n;
  PLACEMENT_HD void operator()(index_t at) const {
    if (at % n > at / n % n) x[at] = T{};
  }
};
/// n x n identity matrices, each a step further than the one before.
template <class T> struct write_identities {
  T* x;
  index_t n, step;
  PLACEMENT_HD void operator()(index_t at) const {
    index_t const matrix = at / (n * n), i = at % (n * n);
    using real = typename parts_of<T>::real;
    x[matrix * step + i] = parts_of<T>::from(static_cast<real>(i / n == i % n ? 1 : 0));
  }
};
/// Factor R, k x n in row-major order, from the upper triangle of factors with m rows in
/// column-major order.
template <class T> struct write_r {
  T const* factors;
  T* r;
  index_t m, n;
  PLACEMENT_HD void operator()(index_t at) const {
    index_t const i = at / n, j = at % n;
    r[at] = j >= i ? factors[j * m + i] : T{};
  }
};
/// The determinants of n x n matrices from their LU factors. Pivots count from 1.
template <class T> struct multiply_diagonals {
  T const* factors;
  std::int64_t const* pivots;
  T* out;
  index_t n;
  PLACEMENT_HD void operator()(index_t at) const {
    using real = typename parts_of<T>::real;
    T product = parts_of<T>::from(static_cast<real>(1));
    for (index_t d = 0; d != n; ++d) {
      product = parts_of<T>::product(product, factors[(at * n + d) * n + d]);
      if (pivots[at * n + d] != d + 1) product = parts_of<T>::negative(product);
    }
    out[at] = product;
  }
};
/// Real numbers as elements of T: rows of n, each a step further than the one before.
template <class T> struct store_reals {
  typename parts_of<T>::real const* from;
  T* to;
  index_t n, step;
  PLACEMENT_HD void operator()(index_t at) const {
    to[at / n * step + at % n] = parts_of<T>::from(from[at]);
  }
};

}}}  // namespace placement::v0_1::detail
