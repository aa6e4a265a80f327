#pragma once
/// Arithmetic of complex numbers, as NumPy defines it: products and quotients have no special rules
/// for infinities.

#include <placement/config.hpp>
#include <placement/math/atan2.hpp>
#include <placement/math/complex_magnitude.hpp>
#include <placement/math/complex_traits.hpp>

#include <cmath>
#include <complex>
#include <limits>

namespace placement { inline namespace v0_1 {

template <> inline constexpr bool is_complex<std::complex<float>> = true;
template <> inline constexpr bool is_complex<std::complex<double>> = true;

namespace detail {

/// The memory of a std::complex<R>. Device code may use it, where it may not call members of
/// std::complex.
template <class R> struct complex_parts {
  R re, im;
};

template <class R> struct complex_math<std::complex<R>> {
  using number = std::complex<R>;
  using parts = complex_parts<R>;
  using real_type = R;
  /// The type of sums: each is rounded once.
  using wide = std::complex<double>;

  PLACEMENT_HD static parts of(number x) noexcept { return __builtin_bit_cast(parts, x); }
  PLACEMENT_HD static number made(R re, R im) noexcept {
    return __builtin_bit_cast(number, parts{re, im});
  }
  PLACEMENT_HD static number add(number x, number y) noexcept {
    parts const a = of(x), b = of(y);
    return made(a.re + b.re, a.im + b.im);
  }
  PLACEMENT_HD static number subtract(number x, number y) noexcept {
    parts const a = of(x), b = of(y);
    return made(a.re - b.re, a.im - b.im);
  }
  PLACEMENT_HD static number negative(number x) noexcept {
    parts const a = of(x);
    return made(-a.re, -a.im);
  }
  PLACEMENT_HD static number multiply(number x, number y) noexcept {
    parts const a = of(x), b = of(y);
    return made(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  }
  /// Source: Smith, Algorithm 116: Complex division (1962).
  PLACEMENT_HD static number divide(number x, number y) noexcept {
    parts const a = of(x), b = of(y);
    using std::fabs;
    R const re = fabs(b.re), im = fabs(b.im);
    if (re >= im) {
      if (re == 0 && im == 0) return made(a.re / re, a.im / re);
      R const ratio = b.im / b.re, scale = R{1} / (b.re + b.im * ratio);
      return made((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
    }
    R const ratio = b.re / b.im, scale = R{1} / (b.im + b.re * ratio);
    return made((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
  }
  PLACEMENT_HD static number reciprocal(number x) noexcept {
    using std::fabs;
    parts const a = of(x);
    if (fabs(a.re) <= fabs(a.im)) {
      R const ratio = a.re / a.im, scale = a.re * ratio + a.im;
      return made(ratio / scale, R{-1} / scale);
    }
    R const ratio = a.im / a.re, scale = a.re + a.im * ratio;
    return made(R{1} / scale, -ratio / scale);
  }
  PLACEMENT_HD static number over(number x, R n) noexcept {
    parts const a = of(x);
    return made(a.re / n, a.im / n);
  }
  PLACEMENT_HD static bool equal(number x, number y) noexcept {
    parts const a = of(x), b = of(y);
    return a.re == b.re && a.im == b.im;
  }
  PLACEMENT_HD static R real(number x) noexcept { return of(x).re; }
  PLACEMENT_HD static R imag(number x) noexcept { return of(x).im; }
  PLACEMENT_HD static number conj(number x) noexcept {
    parts const a = of(x);
    return made(a.re, -a.im);
  }
  /// A real number, or a complex number of another precision, as this type.
  template <class T> PLACEMENT_HD static number from(T x) noexcept {
    if constexpr (is_complex<T>) {
      auto const a = complex_math<T>::of(x);
      return made(static_cast<R>(a.re), static_cast<R>(a.im));
    } else {
      return made(static_cast<R>(x), R{});
    }
  }

  // Without overflow of the squares, and with the rules of C99 for infinities.
  static R abs(number x) noexcept {
    if constexpr (sizeof(R) == 8) return std::hypot(x.real(), x.imag());
    else return math::complex_magnitude(x.real(), x.imag());
  }
  static R arg(number x) noexcept { return math::atan2(x.imag(), x.real()); }
  static number exp(number x) noexcept { return std::exp(x); }
  static number log(number x) noexcept { return std::log(x); }
  static number sqrt(number x) noexcept { return std::sqrt(x); }
  /// As NumPy: x^0 is 1, 0^y is 0 for a positive real part of y and NaN for others, and small
  /// integral powers are products.
  static number pow(number x, number y) noexcept {
    parts const a = of(x), b = of(y);
    if (b.re == 0 && b.im == 0) return made(R{1}, R{});
    if (a.re == 0 && a.im == 0) {
      if (b.re > 0) return made(R{}, R{});
      return made(std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN());
    }
    constexpr R most = 100;
    if (b.im == 0 && b.re == std::trunc(b.re) && std::abs(b.re) < most) {
      number product = made(R{1}, R{}), power = x;
      for (int n = static_cast<int>(std::abs(b.re)); n != 0; n /= 2) {
        if (n % 2 != 0) product = multiply(product, power);
        power = multiply(power, power);
      }
      return b.re < 0 ? reciprocal(product) : product;
    }
    return std::pow(x, y);
  }
};

}  // namespace detail
}}  // namespace placement::v0_1
