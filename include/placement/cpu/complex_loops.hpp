#pragma once
/// Loops over complex numbers, compiled once for several levels of x86-64. Block kernels of
/// expressions with complex elements call them (cpu/block_stages.hpp).

#include <placement/shape/extents.hpp>

#include <complex>

namespace placement { inline namespace v0_1 { namespace detail {

/// to[i] = f(x[i]), or f(x[i], y[i]), for i below n. `to` may be an operand.
template <class R> struct complex_loops {
  using C = std::complex<R>;

  static void add(C* to, C const* x, C const* y, index_t n);
  static void subtract(C* to, C const* x, C const* y, index_t n);
  static void multiply(C* to, C const* x, C const* y, index_t n);
  static void negative(C* to, C const* x, index_t n);
  static void conj(C* to, C const* x, index_t n);
  static void real(R* to, C const* x, index_t n);
  static void imag(R* to, C const* x, index_t n);
  static void abs(R* to, C const* x, index_t n);
  static void arg(R* to, C const* x, index_t n);
};

}}}  // namespace placement::v0_1::detail
