#pragma once

#include <placement/fft/transform.hpp>

namespace placement { inline namespace v0_1 {

namespace detail {
namespace no_adl {
struct forward_transform_2d {
  static constexpr std::string_view name = "FFT2D";
  static constexpr bool is_inverse = false;
};
struct inverse_transform_2d {
  static constexpr std::string_view name = "IFFT2D";
  static constexpr bool is_inverse = true;
};
}  // namespace no_adl
using no_adl::forward_transform_2d;
using no_adl::inverse_transform_2d;
}  // namespace detail

/// The transform of planes, or its inverse.
template <class R, class Direction> struct fft2_op {
  static constexpr std::string_view name = Direction::name;
  using pattern = custom;
  using kernels = cpu_only;
  using gpu_library = detail::registered_transforms;
  using value_type = std::complex<R>;

  fft_norm norm;

  template <class X> static constexpr X result(X const& x) {
    static_assert(X::rank >= 2,
                  "placement: fft2 transforms the last two dimensions. Write fft(x) for a vector.");
    index_t const plane = x.at(X::rank - 2) * x.at(X::rank - 1);
    if (plane == 0) detail::throw_no_transform(name, 0, x);
    return x;
  }
  template <class T, class X>
  void operator()(dense_view<value_type, X> out, dense_view<T const, X> in) const {
    if (out.size() == 0) return;
    if constexpr (is_complex<T>) {
      transform(out, in.data);
    } else {
      detail::host_scratch<value_type> const numbers(in.size());
      for (index_t i = 0; i != in.size(); ++i) numbers.data()[i] = in[i];
      transform(out, numbers.data());
    }
  }
  /// The same on a GPU.
  template <class T, class X>
  void run_by_library(logical_device const& on, dense_view<value_type, X> out,
                      dense_view<T const, X> in) const {
    if (out.size() == 0) return;
    plane_transform t{std::is_same_v<R, double>, Direction::is_inverse, !is_complex<T>};
    t.m = out.shape.at(X::rank - 2);
    t.n = out.shape.at(X::rank - 1);
    t.count = out.size() / (t.m * t.n);
    t.scale = detail::fft_scale(norm, Direction::is_inverse, t.m * t.n);
    gpu_library::engine().run(on, t, in.data, out.data);
  }

 private:
  template <class X> void transform(dense_view<value_type, X> out, value_type const* in) const {
    index_t const m = out.shape.at(X::rank - 2), n = out.shape.at(X::rank - 1);
    detail::fft_shape s;
    s.rank = 2;
    s.loops = 1;
    s.along[0] = {m, n, n};
    s.along[1] = {n, 1, 1};
    s.loop[0] = {out.size() / (m * n), m * n, m * n};
    s.sign = Direction::is_inverse ? FFTW_BACKWARD : FFTW_FORWARD;
    detail::fft_plans_of_process<value_type, value_type>().run(s, in, out.data);
    detail::scale_all(out.data, out.size(), detail::fft_scale(norm, Direction::is_inverse, m * n));
  }
};

/// The discrete Fourier transform along the last two dimensions: numpy.fft.fft2.
/// Shape: (..., m, n), unchanged.  Type: float, double, and complex numbers of them, to complex
/// numbers.
/// Kernels: CPU; GPU by cuFFT (pattern custom).  Cost: 5 m n log2(m n) operations for a plane.
/// Throws: shape_error for planes without elements; out_of_memory.
template <operand X>
auto fft2(X&& x, fft_norm norm = fft_norm::backward, site at = site::here())
    -> node<fft2_op<detail::fft_real_t<typename bare<X>::value_type>, detail::forward_transform_2d>,
            X> {
  return {{norm}, at, std::forward<X>(x)};
}
/// The inverse of fft2: numpy.fft.ifft2.
/// Shape: (..., m, n), unchanged.  Type: float, double, and complex numbers of them, to complex
/// numbers.
/// Kernels: CPU; GPU by cuFFT (pattern custom).  Cost, Throws: those of fft2.
template <operand X>
auto ifft2(X&& x, fft_norm norm = fft_norm::backward, site at = site::here())
    -> node<fft2_op<detail::fft_real_t<typename bare<X>::value_type>, detail::inverse_transform_2d>,
            X> {
  return {{norm}, at, std::forward<X>(x)};
}

}}  // namespace placement::v0_1
