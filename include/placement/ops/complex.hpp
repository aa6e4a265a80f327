#pragma once
/// Complex numbers as elements: std::complex<float> and std::complex<double>. placement.hpp does
/// not include this header. Include it before the first expression with complex elements.
///
/// Arithmetic, ==, abs, exp, log, sqrt, sum, prod, mean, variance, std_dev, norm, unique, cumsum,
/// matmul and views take complex elements. No op with complex elements has a GPU kernel: these run
/// on the CPU, visibly.

#include <placement/cpu/complex_stages.hpp>
#include <placement/expr/operand.hpp>
#include <placement/math/complex.hpp>
#include <placement/ops/abs.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/multiply.hpp>
#include <placement/ops/negative.hpp>
#include <placement/ops/sqrt.hpp>
#include <placement/ops/subtract.hpp>
#include <placement/ops/variance.hpp>

#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 {

/// The real part, element by element.
/// Shape: unchanged.  Type: complex to floating point.  Kernels: CPU only.
struct real_op {
  static constexpr std::string_view name = "Real";
  using pattern = map;
  using kernels = cpu_only;
  static constexpr bool has_complex_loop = true;
  template <class V> requires is_complex<V>
  auto operator()(V x) const noexcept {
    return detail::complex_math<V>::real(x);
  }
};
template <operand X> auto real(X&& x, site at = site::here()) -> unary<real_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// The imaginary part, element by element.
/// Shape: unchanged.  Type: complex to floating point.  Kernels: CPU only.
struct imag_op {
  static constexpr std::string_view name = "Imag";
  using pattern = map;
  using kernels = cpu_only;
  static constexpr bool has_complex_loop = true;
  template <class V> requires is_complex<V>
  auto operator()(V x) const noexcept {
    return detail::complex_math<V>::imag(x);
  }
};
template <operand X> auto imag(X&& x, site at = site::here()) -> unary<imag_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// The complex conjugate, element by element.
/// Shape: unchanged.  Type: complex.  Kernels: CPU only.
struct conj_op {
  static constexpr std::string_view name = "Conj";
  using pattern = map;
  using kernels = cpu_only;
  static constexpr bool has_complex_loop = true;
  template <class V> requires is_complex<V>
  V operator()(V x) const noexcept {
    return detail::complex_math<V>::conj(x);
  }
};
template <operand X> auto conj(X&& x, site at = site::here()) -> unary<conj_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// The angle in the complex plane, element by element: atan2(imag, real).
/// Shape: unchanged.  Type: complex to floating point.  Units: radians, from -pi to pi.
/// Kernels: CPU only.
struct angle_op {
  static constexpr std::string_view name = "Angle";
  using pattern = map;
  using kernels = cpu_only;
  static constexpr bool has_complex_loop = true;
  static constexpr int cost_per_element = 16;
  template <class V> requires is_complex<V>
  auto operator()(V x) const noexcept {
    return detail::complex_math<V>::arg(x);
  }
};
/// NumPy's name.
template <operand X> auto angle(X&& x, site at = site::here()) -> unary<angle_op, X> {
  return {{}, at, std::forward<X>(x)};
}
/// The C++ standard's name.
template <operand X> auto arg(X&& x, site at = site::here()) -> unary<angle_op, X> {
  return {{}, at, std::forward<X>(x)};
}

/// re + im * i, element by element.
/// Shape: broadcast.  Type: float or double, the same on both sides, to complex.
/// Kernels: CPU only.
struct make_complex_op {
  static constexpr std::string_view name = "Complex";
  using pattern = map;
  using kernels = cpu_only;
  template <std::floating_point R> std::complex<R> operator()(R re, R im) const noexcept {
    return {re, im};
  }
};
template <class A, class B> requires operands<A, B>
auto make_complex(A&& re, B&& im, site at = site::here()) -> binary<make_complex_op, A, B> {
  return make_binary(make_complex_op{}, at, std::forward<A>(re), std::forward<B>(im));
}

namespace detail {
template <class R> inline constexpr auto complex_loop_of<add_op, R> = complex_loops<R>::add;
template <class R>
inline constexpr auto complex_loop_of<subtract_op, R> = complex_loops<R>::subtract;
template <class R>
inline constexpr auto complex_loop_of<multiply_op, R> = complex_loops<R>::multiply;
template <class R>
inline constexpr auto complex_loop_of<negative_op, R> = complex_loops<R>::negative;
template <class R> inline constexpr auto complex_loop_of<abs_op, R> = complex_loops<R>::abs;
template <class R> inline constexpr auto complex_loop_of<real_op, R> = complex_loops<R>::real;
template <class R> inline constexpr auto complex_loop_of<imag_op, R> = complex_loops<R>::imag;
template <class R> inline constexpr auto complex_loop_of<conj_op, R> = complex_loops<R>::conj;
template <class R> inline constexpr auto complex_loop_of<angle_op, R> = complex_loops<R>::arg;
}  // namespace detail

template <class X> concept complex_operand = operand<X> && is_complex<typename bare<X>::value_type>;

namespace detail {
/// variance() of the parts. Each of them reads an operand of its own, also of an expression that
/// ends with the statement.
template <class X, class... Rest> auto complex_variance(X&& x, Rest... rest) {
  using own = std::conditional_t<std::is_lvalue_reference_v<X>, X, bare<X>>;
  auto of_real = variance(real(static_cast<own>(x)), rest...);  // before x is moved
  return std::move(of_real) + variance(imag(std::forward<X>(x)), rest...);
}
}  // namespace detail

/// The mean squared distance of complex numbers from their mean, of all elements or along one axis:
/// the sum of the variances of both parts.
/// Shape: that of variance.  Type: complex to floating point.  Kernels: CPU only.
/// Cost: two passes.
template <complex_operand X> auto variance(X&& x, site at = site::here()) {
  return detail::complex_variance(std::forward<X>(x), at);
}
template <complex_operand X, reduction_axis A>
auto variance(X&& x, A along_axis, site at = site::here()) {
  return detail::complex_variance(std::forward<X>(x), along_axis, at);
}
/// The square root of the variance. Shape, Type, Kernels, Cost: those of variance.
template <complex_operand X> auto std_dev(X&& x, site at = site::here()) {
  return sqrt(variance(std::forward<X>(x), at), at);
}
template <complex_operand X, reduction_axis A>
auto std_dev(X&& x, A along_axis, site at = site::here()) {
  return sqrt(variance(std::forward<X>(x), along_axis, at), at);
}

}}  // namespace placement::v0_1

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/complex_loops.ipp>
#endif
