#pragma once

#include <placement/fft/transform.hpp>

namespace placement { inline namespace v0_1 {

/// The first half of the transform of real numbers.
template <class R, class Axis, class Length> struct rfft_op {
  static constexpr std::string_view name = "RFFT";
  using pattern = custom;
  static constexpr bool partitions = true;
  using kernels = cpu_only;
  using gpu_library = detail::registered_transforms;
  using value_type = std::complex<R>;

  [[no_unique_address]] detail::fft_parameters<Axis, Length> by;

  template <class X> constexpr auto result(X const& x) const {
    index_t const n = by.count(name, by.extent(x), x);
    return by.shape([](index_t own) { return own / 2 + 1; }, x, n / 2 + 1);
  }
  template <class Y, class X>
  void operator()(dense_view<value_type, Y> out, dense_view<R const, X> in) const {
    run(seq{}, out, in);
  }
  template <class On, class Y, class X>
  void run(On const& on, dense_view<value_type, Y> out, dense_view<R const, X> in) const {
    std::size_t const d = detail::dimension_of<X::rank>(by.axis);
    index_t const own = in.shape.at(d), n = by.count(name, own, in.shape);
    if (out.size() == 0) return;
    detail::fft_fibers const fibers{detail::sides_of(in.shape, d), n, own, out.shape.at(d)};
    detail::transform_fibers(on, fibers, n, FFTW_FORWARD, in.data, out.data);
    detail::scale_all(out.data, out.size(), detail::fft_scale(by.norm, false, n));
  }
  /// The same on a GPU.
  template <class Y, class X>
  void run_by_library(logical_device const& on, dense_view<value_type, Y> out,
                      dense_view<R const, X> in) const {
    std::size_t const d = detail::dimension_of<X::rank>(by.axis);
    index_t const own = in.shape.at(d), n = by.count(name, own, in.shape);
    if (out.size() == 0) return;
    detail::transform_by_library<R>(on, transform_kind::real_to_half, false,
                                    {detail::sides_of(in.shape, d), n, own, out.shape.at(d)},
                                    detail::fft_scale(by.norm, false, n), in.data, out.data);
  }
};

/// The real inverse of rfft.
template <class R, class Axis, class Length> struct irfft_op {
  static constexpr std::string_view name = "IRFFT";
  using pattern = custom;
  static constexpr bool partitions = true;
  using kernels = cpu_only;
  using gpu_library = detail::registered_transforms;
  using value_type = R;

  [[no_unique_address]] detail::fft_parameters<Axis, Length> by;

  template <class X> constexpr auto result(X const& x) const {
    index_t const n = by.count(name, 2 * (by.extent(x) - 1), x);
    return by.shape([](index_t own) { return 2 * (own - 1); }, x, n);
  }
  template <class Y, class X>
  void operator()(dense_view<R, Y> out, dense_view<std::complex<R> const, X> in) const {
    run(seq{}, out, in);
  }
  template <class On, class Y, class X>
  void run(On const& on, dense_view<R, Y> out, dense_view<std::complex<R> const, X> in) const {
    std::size_t const d = detail::dimension_of<X::rank>(by.axis);
    index_t const n = out.shape.at(d);
    if (out.size() == 0) return;
    detail::fft_fibers const fibers{detail::sides_of(in.shape, d), n, in.shape.at(d), n};
    detail::transform_fibers(on, fibers, n / 2 + 1, FFTW_BACKWARD, in.data, out.data);
    detail::scale_all(out.data, out.size(), detail::fft_scale(by.norm, true, n));
  }
  /// The same on a GPU.
  template <class Y, class X>
  void run_by_library(logical_device const& on, dense_view<R, Y> out,
                      dense_view<std::complex<R> const, X> in) const {
    std::size_t const d = detail::dimension_of<X::rank>(by.axis);
    index_t const n = out.shape.at(d);
    if (out.size() == 0) return;
    detail::transform_by_library<R>(on, transform_kind::half_to_real, true,
                                    {detail::sides_of(in.shape, d), n, in.shape.at(d), n},
                                    detail::fft_scale(by.norm, true, n), in.data, out.data);
  }
};

namespace detail {
template <template <class, class, class> class Op, class X, class A, class L>
using rfft_node =
    node<Op<fft_real_t<typename bare<X>::value_type>, decltype(as_axis(std::declval<A>())), L>, X>;
template <class X> constexpr bool check_real() {
  static_assert(!is_complex<typename bare<X>::value_type>,
                "placement: rfft transforms real numbers. Write fft(x), or rfft(real(x)).");
  return true;
}
template <class X> constexpr bool check_complex() {
  static_assert(is_complex<typename bare<X>::value_type>,
                "placement: irfft transforms complex numbers. Write irfft(make_complex(x, 0)).");
  return true;
}
}  // namespace detail

/// The discrete Fourier transform of real numbers along an axis, the last one unless said, without
/// the half that is the conjugate of the other: numpy.fft.rfft.
/// Shape: extent n / 2 + 1 along the axis, for n elements.
/// Type: float, double, to complex numbers.
/// Kernels: CPU; GPU by cuFFT (pattern custom).  Cost: 2.5 n log2 n operations.
/// Throws: shape_error for no element along the axis; out_of_memory.
template <operand X, axis_like A = axis_t<-1>>
auto rfft(X&& x, A along = {}, fft_norm norm = fft_norm::backward, site at = site::here())
    -> detail::rfft_node<rfft_op, X, A, detail::own_length> {
  static_assert(detail::check_real<X>());
  return {{{detail::as_axis(along), {}, norm}}, at, std::forward<X>(x)};
}
template <operand X, axis_like A>
auto rfft(X&& x, A along, fft_length length, fft_norm norm = fft_norm::backward,
          site at = site::here()) -> detail::rfft_node<rfft_op, X, A, fft_length> {
  static_assert(detail::check_real<X>());
  return {{{detail::as_axis(along), length, norm}}, at, std::forward<X>(x)};
}
/// The inverse of rfft: numpy.fft.irfft. For an odd number of elements write
/// `irfft(y, axis<-1>, fft_length{7})`. The imaginary parts of the first element, and for an even
/// number of the last, are not read.
/// Shape: extent 2 (m - 1) along the axis for m elements; with fft_length{n} extent n.
/// Type: complex, to floating point.
/// Kernels: CPU; GPU by cuFFT (pattern custom).  Cost: that of rfft.
/// Throws: shape_error for no element along the axis of the result; out_of_memory.
template <operand X, axis_like A = axis_t<-1>>
auto irfft(X&& x, A along = {}, fft_norm norm = fft_norm::backward, site at = site::here())
    -> detail::rfft_node<irfft_op, X, A, detail::own_length> {
  static_assert(detail::check_complex<X>());
  return {{{detail::as_axis(along), {}, norm}}, at, std::forward<X>(x)};
}
template <operand X, axis_like A>
auto irfft(X&& x, A along, fft_length length, fft_norm norm = fft_norm::backward,
           site at = site::here()) -> detail::rfft_node<irfft_op, X, A, fft_length> {
  static_assert(detail::check_complex<X>());
  return {{{detail::as_axis(along), length, norm}}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
