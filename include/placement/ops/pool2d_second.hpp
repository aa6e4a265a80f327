#pragma once
/// The second derivative of max pools. placement.hpp does not include this header.

#include <placement/cpu/custom.hpp>
#include <placement/expr/operand.hpp>
#include <placement/ops/pool_extents.hpp>

#include <algorithm>

namespace placement { inline namespace v0_1 {

template <class Options> struct max_pool2d_gradient_op;

namespace detail {
/// Calls f(the number of the pixel) for each pixel of a window at (row, column), in row-major
/// order, until it returns true.
template <class F>
void each_pixel_until(pool2d_sizes const& s, index_t image, index_t row, index_t column,
                      F const& f) {
  index_t const top = row * s.y.stride - s.y.before, left = column * s.x.stride - s.x.before;
  for (index_t i = std::max(top, index_t{0}); i < std::min(top + s.y.taps, s.y.in); ++i)
    for (index_t j = std::max(left, index_t{0}); j < std::min(left + s.x.taps, s.x.in); ++j)
      if (f((image * s.y.in + i) * s.x.in + j)) return;
}
}  // namespace detail

/// The elements of h at the first maximum of each window of x. y: the maxima. It is the derivative
/// of max_pool2d_gradient by the gradient that it is given.
/// Shape: that of y.  Type: floating point, the same for all.  Kernels: CPU only (pattern custom).
template <class Options> struct max_pool2d_second_op {
  static constexpr std::string_view name = "MaxPoolGradGrad";
  using pattern = custom;
  using kernels = cpu_only;
  static constexpr bool partitions = true;

  [[no_unique_address]] Options options;

  template <class X, class Y, class H> constexpr Y result(X const& x, Y const& y, H const&) const {
    detail::check_pool_gradient(x, y, options);
    return y;
  }
  template <class On, class T, class Y, class X, class H>
  void run(On const& on, dense_view<T, Y> out, dense_view<T const, X> x, dense_view<T const, Y> y,
           dense_view<T const, H> h) const {
    if (out.size() == 0) return;
    auto const s = detail::pool2d_sizes_of(x.shape, options.get());
    work_size const size{s.images * s.y.out, 1,
                         static_cast<std::size_t>(s.out() * s.y.taps * s.x.taps)};
    on.parallel_for(size, [&](work_chunk const& rows) {
      for (index_t row = rows.begin; row != rows.end; ++row)
        for (index_t to = row * s.x.out; to != (row + 1) * s.x.out; ++to)
          for (index_t c = 0; c != s.channels; ++c) {
            index_t const at = to * s.channels + c;
            bool const is_nan = y[at] != y[at];
            out[at] = T{};
            detail::each_pixel_until(s, row / s.y.out, row % s.y.out, to - row * s.x.out,
                                     [&](index_t pixel) {
                                       T const v = x[pixel * s.channels + c];
                                       if (!(v == y[at]) && !(is_nan && v != v)) return false;
                                       out[at] = h[pixel * s.channels + c];
                                       return true;
                                     });
          }
    });
  }
  template <class T, class Y, class X, class H>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> x, dense_view<T const, Y> y,
                  dense_view<T const, H> h) const {
    run(par{}, out, x, y, h);
  }

  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const&, auto const& x, auto const& y, auto const&) const {
    if constexpr (I == 2)
      return detail::node_with<K>(max_pool2d_gradient_op<Options>{{options}}, x, y, g);
    else return zero_gradient{};
  }
};

}}  // namespace placement::v0_1
