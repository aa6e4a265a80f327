#pragma once
/// The gradients of convolutions, and transposed convolutions. placement.hpp does not include this
/// header.

#include <placement/ops/conv2d_ops.hpp>

namespace placement { inline namespace v0_1 {

/// The gradient of sum(conv2d(x, w, options) * g) by the images x, whose shape is given.
/// Shape: (height, width, C / groups, F), (N, rows, columns, F) -> (N, H, W, C), as given.
/// Type: floating point, the same for both; 16-bit numbers are summed in float, by float copies.
/// Throws: shape_error, unless g has the shape of the convolution; out_of_memory.
/// Kernels: CPU, GPU (pattern custom).  Cost: that of conv2d, also with strides.
template <conv2d_options Options = conv2d_options{}, operand W, operand G, class X>
requires is_extents<X>
auto conv2d_input_gradient(W&& w, G&& g, X const& images, site at = site::here())
    -> node<conv2d_input_gradient_op<detail::options_in_type<Options>, X>, W, G> {
  detail::check_images<W, G>();
  return {{{}, images}, at, std::forward<W>(w), std::forward<G>(g)};
}
template <operand W, operand G, class X> requires is_extents<X>
auto conv2d_input_gradient(W&& w, G&& g, X const& images, conv2d_options const& options,
                           site at = site::here())
    -> node<conv2d_input_gradient_op<detail::run_time_options<conv2d_options>, X>, W, G> {
  detail::check_images<W, G>();
  return {{{options}, images}, at, std::forward<W>(w), std::forward<G>(g)};
}

/// The gradient of sum(conv2d(x, w, options) * g) by the filter w, whose shape is given.
/// Shape: (N, H, W, C), (N, rows, columns, F) -> (height, width, C / groups, F), as given.
/// Type: floating point, the same for both; floats are summed in float in up to 16 parts, which are
/// added in double.
/// Throws: shape_error, unless g has the shape of the convolution; out_of_memory.
/// Kernels: CPU, GPU (pattern custom).  Cost: that of conv2d; scratch memory for up to 16 filters.
template <conv2d_options Options = conv2d_options{}, operand X, operand G, class W>
requires is_extents<W>
auto conv2d_filter_gradient(X&& x, G&& g, W const& filter, site at = site::here())
    -> node<conv2d_filter_gradient_op<detail::options_in_type<Options>, W>, X, G> {
  detail::check_images<X, G>();
  return {{{}, filter}, at, std::forward<X>(x), std::forward<G>(g)};
}
template <operand X, operand G, class W> requires is_extents<W>
auto conv2d_filter_gradient(X&& x, G&& g, W const& filter, conv2d_options const& options,
                            site at = site::here())
    -> node<conv2d_filter_gradient_op<detail::run_time_options<conv2d_options>, W>, X, G> {
  detail::check_images<X, G>();
  return {{{options}, filter}, at, std::forward<X>(x), std::forward<G>(g)};
}

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_transpose(any_shape const& x,
                                                                      any_shape const& w) {
  throw shape_error(
      "placement: conv2d_transpose of images of shape " + list_text(x.extent, x.rank) +
      " with a filter of shape " + list_text(w.extent, w.rank) +
      ": windows, strides, dilations and groups are at least 1, and the padding is smaller than the "
      "result.");
}
/// The extent of images whose convolution has `in` rows; -1 if there is none.
constexpr index_t transposed_extent(index_t in, window_axis const& a, bool is_same,
                                    index_t padding) {
  if (a.taps < 1 || a.taps > max_window || a.stride < 1 || a.stride > max_window ||
      a.dilation < 1 || a.dilation > max_window || padding < 0 || padding > 2 * max_window)
    return -1;
  index_t all = 0;
  if (__builtin_mul_overflow(is_same || in == 0 ? in : in - 1, a.stride, &all)) return -1;
  if (is_same || in == 0) return all;
  index_t const rest = padding == 0 && a.stride > a.reach() ? a.stride : a.reach();
  if (__builtin_add_overflow(all, rest - padding, &all)) return -1;
  return all;
}
/// The images that a convolution with the filter w takes to the shape of x.
template <class X, class W>
constexpr auto transposed_shape(X const& x, W const& w, conv2d_options const& o) {
  index_t const h = transposed_extent(x.at(1), {0, w.at(0), o.strides.height, o.dilations.height},
                                      o.padding.is_same, o.padding.top + o.padding.bottom);
  index_t const c = transposed_extent(x.at(2), {0, w.at(1), o.strides.width, o.dilations.width},
                                      o.padding.is_same, o.padding.left + o.padding.right);
  index_t channels = 0;
  if (h < 0 || c < 0 || o.groups < 1 || __builtin_mul_overflow(w.at(2), o.groups, &channels))
    throw_no_transpose(x, w);
  return make_shape<4>([](std::size_t d) { return d == 0 ? X::static_extent(0) : dyn; },
                       [&](std::size_t d) {
                         return d == 0 ? x.at(0) : d == 1 ? h : d == 2 ? c : channels;
                       });
}
}  // namespace detail

/// The transposed convolution: the gradient of the images of a convolution whose result is x. The
/// filter has the layout of that convolution, with C / groups as its third extent.
/// Shape: (N, rows, columns, F), (height, width, C / groups, F) -> (N, H, W, C). With same_padding,
/// H is rows * stride. With valid_padding it is (rows - 1) * stride and the larger of the window's
/// reach and the stride. Explicit paddings are subtracted from the window's reach.
/// conv2d_input_gradient has a result of any shape that the convolution takes to x's.
/// Type, Throws, Kernels, Cost: those of conv2d_input_gradient, which also names it in logs.
template <operand X, operand W>
auto conv2d_transpose(X&& x, W&& w, conv2d_options const& options = {}, site at = site::here()) {
  detail::check_images<X, W>();
  auto const images = detail::transposed_shape(x.shape(), w.shape(), options);
  return conv2d_input_gradient(std::forward<W>(w), std::forward<X>(x), images, options, at);
}

}}  // namespace placement::v0_1
