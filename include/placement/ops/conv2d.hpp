#pragma once
/// Convolutions of images. placement.hpp does not include this header.

#include <placement/ops/conv2d_ops.hpp>
#include <placement/ops/conv2d_pool.hpp>

namespace placement { inline namespace v0_1 {

/// The convolution of images with a filter, which is not flipped. Element (n, i, j, f) is the sum
/// of `x(n, i * stride + ky * dilation - top, j * stride + kx * dilation - left, c) * w(ky, kx, c,
/// f)` over ky, kx and c. Elements outside of an image are 0.
/// Shape: (N, H, W, C), (height, width, C / groups, F) -> (N, rows, columns, F). With
/// valid_padding, rows is (H - (height - 1) * dilation - 1) / stride + 1. With same_padding it is H
/// / stride, rounded up.
/// Type: floating point, the same for both; 16-bit numbers are summed in float, by float copies.
/// Throws: shape_error; out_of_memory.  Kernels: CPU, GPU (pattern custom).
/// Accuracy: that of sums in order. Large convolutions of float by 3 by 3 filters on a GPU are
/// within 16 * 2^-24 of the largest sum of magnitudes. There NaN and infinities reach neighbours.
/// Cost: on the CPU, scratch memory for the filter, and for part of an image if there is padding. A
/// GPU takes up to 416 MiB for large convolutions, and 576 MiB for the gradient of a filter. Where
/// that is not free, a slower kernel computes them.
template <conv2d_options Options = conv2d_options{}, operand X, operand W>
auto conv2d(X&& x, W&& w, site at = site::here())
    -> node<conv2d_op<detail::options_in_type<Options>>, X, W> {
  detail::check_images<X, W>();
  return {{}, at, std::forward<X>(x), std::forward<W>(w)};
}
/// The same with options that are known at run time: `conv2d(x, w, {.padding = same_padding})`.
template <operand X, operand W>
auto conv2d(X&& x, W&& w, conv2d_options const& options, site at = site::here())
    -> node<conv2d_op<detail::run_time_options<conv2d_options>>, X, W> {
  detail::check_images<X, W>();
  return {{{options}}, at, std::forward<X>(x), std::forward<W>(w)};
}

}}  // namespace placement::v0_1
