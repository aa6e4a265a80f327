#pragma once

#include <placement/fft/transform.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
namespace no_adl {
struct forward_transform {
  static constexpr std::string_view name = "FFT";
  static constexpr bool is_inverse = false;
};
struct inverse_transform {
  static constexpr std::string_view name = "IFFT";
  static constexpr bool is_inverse = true;
};
}  // namespace no_adl
using no_adl::forward_transform;
using no_adl::inverse_transform;
}  // namespace detail

/// The transform along one axis, or its inverse. R: the type of the parts.
template <class R, class Direction, class Axis, class Length> struct fft_op {
  static constexpr std::string_view name = Direction::name;
  using pattern = custom;
  static constexpr bool partitions = true;
  using kernels = cpu_only;
  using gpu_library = detail::registered_transforms;
  using value_type = std::complex<R>;

  [[no_unique_address]] detail::fft_parameters<Axis, Length> by;

  template <class X> constexpr auto result(X const& x) const {
    index_t const n = by.count(name, by.extent(x), x);
    return by.shape([](index_t own) { return own; }, x, n);
  }
  template <class T, class Y, class X>
  void operator()(dense_view<value_type, Y> out, dense_view<T const, X> in) const {
    run(seq{}, out, in);
  }
  template <class On, class T, class Y, class X>
  void run(On const& on, dense_view<value_type, Y> out, dense_view<T const, X> in) const {
    std::size_t const d = detail::dimension_of<X::rank>(by.axis);
    index_t const n = out.shape.at(d);
    if (out.size() == 0) return;
    detail::fft_fibers const fibers{detail::sides_of(in.shape, d), n, in.shape.at(d), n};
    if constexpr (is_complex<T>) {
      index_t const sign = Direction::is_inverse ? FFTW_BACKWARD : FFTW_FORWARD;
      detail::transform_fibers(on, fibers, n, sign, in.data, out.data);
    } else {
      detail::transform_fibers(on, fibers, n, FFTW_FORWARD, in.data, out.data);
      complete(fibers, out.data);
    }
    detail::scale_all(out.data, out.size(), detail::fft_scale(by.norm, Direction::is_inverse, n));
  }
  /// The same on a GPU.
  template <class T, class Y, class X>
  void run_by_library(logical_device const& on, dense_view<value_type, Y> out,
                      dense_view<T const, X> in) const {
    std::size_t const d = detail::dimension_of<X::rank>(by.axis);
    index_t const n = out.shape.at(d);
    if (out.size() == 0) return;
    detail::transform_by_library<R>(
        on, is_complex<T> ? transform_kind::complex_to_complex : transform_kind::real_to_complex,
        Direction::is_inverse, {detail::sides_of(in.shape, d), n, in.shape.at(d), n},
        detail::fft_scale(by.norm, Direction::is_inverse, n), in.data, out.data);
  }

 private:
  /// Of real numbers the second half of the transform is the conjugate of the first, and the
  /// inverse is the conjugate of the transform.
  static void complete(detail::fft_fibers const& f, value_type* out) {
    auto const [before, after] = f.around;
    index_t const n = f.n, width = n * after;
    for (index_t b = 0; b != before; ++b) {
      value_type* const row = out + b * width;
      for (index_t i = n / 2 + 1; i < n; ++i)
        for (index_t j = 0; j != after; ++j)
          row[i * after + j] = detail::complex_math<value_type>::conj(row[(n - i) * after + j]);
      if (Direction::is_inverse)
        for (index_t i = 0; i != width; ++i)
          row[i] = detail::complex_math<value_type>::conj(row[i]);
    }
  }
};

namespace detail {
template <class Direction, class X, class A, class L>
using fft_node = node<fft_op<fft_real_t<typename bare<X>::value_type>, Direction,
                             decltype(as_axis(std::declval<A>())), L>,
                      X>;
}  // namespace detail

/// The discrete Fourier transform along an axis, the last one unless said: numpy.fft.fft. Element k
/// is the sum of x[j] exp(-2 pi i j k / n).
/// Shape: unchanged; with fft_length{n} extent n along the axis.
/// Type: float, double, and complex numbers of them, to complex numbers.
/// Kernels: CPU; GPU by cuFFT (pattern custom).  Cost: 5 n log2 n operations for n complex
/// elements; half of that for real ones.
/// Throws: shape_error for no element along the axis; out_of_memory.
template <operand X, axis_like A = axis_t<-1>>
auto fft(X&& x, A along = {}, fft_norm norm = fft_norm::backward, site at = site::here())
    -> detail::fft_node<detail::forward_transform, X, A, detail::own_length> {
  return {{{detail::as_axis(along), {}, norm}}, at, std::forward<X>(x)};
}
template <operand X, axis_like A>
auto fft(X&& x, A along, fft_length length, fft_norm norm = fft_norm::backward,
         site at = site::here()) -> detail::fft_node<detail::forward_transform, X, A, fft_length> {
  return {{{detail::as_axis(along), length, norm}}, at, std::forward<X>(x)};
}
/// The inverse of fft: numpy.fft.ifft.
/// Shape: unchanged; with fft_length{n} extent n along the axis.
/// Type: float, double, and complex numbers of them, to complex numbers.
/// Kernels: CPU; GPU by cuFFT (pattern custom).  Cost, Throws: those of fft.
template <operand X, axis_like A = axis_t<-1>>
auto ifft(X&& x, A along = {}, fft_norm norm = fft_norm::backward, site at = site::here())
    -> detail::fft_node<detail::inverse_transform, X, A, detail::own_length> {
  return {{{detail::as_axis(along), {}, norm}}, at, std::forward<X>(x)};
}
template <operand X, axis_like A>
auto ifft(X&& x, A along, fft_length length, fft_norm norm = fft_norm::backward,
          site at = site::here()) -> detail::fft_node<detail::inverse_transform, X, A, fft_length> {
  return {{{detail::as_axis(along), length, norm}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
