#pragma once
/// What headers know of complex numbers that do not include <complex>: placement/ops/complex.hpp
/// defines the rest.

#include <cstddef>

namespace placement { inline namespace v0_1 {

/// True for std::complex<float> and std::complex<double> once placement/ops/complex.hpp is
/// included.
template <class T> inline constexpr bool is_complex = false;

/// The bytes of the largest element type.
inline constexpr std::size_t max_element_bytes = 16;

namespace detail {
/// Arithmetic and functions of complex numbers of type T.
template <class T> struct complex_math;

/// Rejects complex elements where an op needs real ones.
template <class T> constexpr bool check_not_complex() {
  static_assert(
      !is_complex<T>,
      "placement: this op does not take complex numbers. Write abs(x), real(x) or imag(x).");
  return true;
}
}  // namespace detail

}}  // namespace placement::v0_1
