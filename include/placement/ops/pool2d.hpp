#pragma once
/// Pools of images and their gradients. placement.hpp does not include this header.

#include <placement/cpu/custom.hpp>
#include <placement/cpu/pool2d.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/ops/max.hpp>
#include <placement/ops/mean.hpp>
#include <placement/ops/pool_extents.hpp>

namespace placement { inline namespace v0_1 {

template <class Options> struct max_pool2d_gradient_op;
template <class Options> struct max_pool2d_second_op;
template <class Options, class X> struct avg_pool2d_gradient_op;

/// The largest elements of windows. Options: run_time_options or options_in_type, here and below.
template <class Options> struct max_pool2d_op : detail::pool_op<Options> {
  static constexpr std::string_view name = "MaxPool";
  using gpu_lowering = lowered::max_pool2d;

  template <class T, class Y, class X>
  void run(par on, dense_view<T, Y> out, dense_view<T const, X> x) const {
    if (out.size() != 0)
      detail::max_pool_forward(detail::product_element_of<T>, out.data, x.data,
                               this->sizes(x.shape), on);
  }
  template <class T, class Y, class X>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> x) const {
    run(par{}, out, x);
  }

  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const& y, auto const& x) const {
    return detail::node_with<K>(max_pool2d_gradient_op<Options>{{this->options}}, x, y, g);
  }
};
/// The means of windows.
template <class Options> struct avg_pool2d_op : detail::pool_op<Options> {
  static constexpr std::string_view name = "AvgPool";
  using gpu_lowering = lowered::avg_pool2d;

  template <class T, class Y, class X>
  void run(par on, dense_view<T, Y> out, dense_view<T const, X> x) const {
    if (out.size() != 0)
      detail::avg_pool_forward(detail::product_element_of<T>, out.data, x.data,
                               this->sizes(x.shape), on);
  }
  template <class T, class Y, class X>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> x) const {
    run(par{}, out, x);
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& g, auto const&, auto const& x) const {
    using shape = bare<decltype(x.shape())>;
    return expr<avg_pool2d_gradient_op<Options, shape>, K,
                typename detail::node_operand<decltype(g)>::type>{
        {this->options, x.shape()}, {}, g};
  }
};
/// The gradient of max_pool2d's images.
template <class Options> struct max_pool2d_gradient_op : detail::pool_op<Options> {
  static constexpr std::string_view name = "MaxPoolGrad";
  using gpu_lowering = lowered::max_pool2d_gradient;

  template <class X, class Y, class G>
  constexpr X result(X const& x, Y const& y, G const& g) const {
    detail::check_pool_gradient(x, y, this->options);
    detail::check_pool_gradient(x, g, this->options);
    return x;
  }
  template <class T, class X, class Y, class G>
  void run(par on, dense_view<T, X> out, dense_view<T const, X> x, dense_view<T const, Y> y,
           dense_view<T const, G> g) const {
    if (out.size() != 0)
      detail::max_pool_backward(detail::product_element_of<T>, out.data, x.data, y.data, g.data,
                                this->sizes(x.shape), on);
  }
  template <class T, class X, class Y, class G>
  void operator()(dense_view<T, X> out, dense_view<T const, X> x, dense_view<T const, Y> y,
                  dense_view<T const, G> g) const {
    run(par{}, out, x, y, g);
  }

  /// The positions of maxima are constant, so x and y have no influence.
  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  auto pullback(auto const& h, auto const&, auto const& x, auto const& y, auto const&) const {
    if constexpr (I == 2)
      return detail::node_with<K>(max_pool2d_second_op<Options>{this->options}, x, y, h);
    else return zero_gradient{};
  }
};
/// The gradient of avg_pool2d's images. X: their shape.
template <class Options, class X> struct avg_pool2d_gradient_op : detail::pool_op<Options> {
  static constexpr std::string_view name = "AvgPoolGrad";
  using gpu_lowering = lowered::avg_pool2d_gradient;

  X images;

  constexpr avg_pool2d_gradient_op(Options const& o, X const& x)
      : detail::pool_op<Options>{o}, images(x) {}

  template <class G> constexpr X result(G const& g) const {
    detail::check_pool_gradient(images, g, this->options);
    return images;
  }
  template <class T, class G>
  void run(par on, dense_view<T, X> out, dense_view<T const, G> g) const {
    if (out.size() != 0)
      detail::avg_pool_backward(detail::product_element_of<T>, out.data, g.data,
                                this->sizes(images), on);
  }
  template <class T, class G>
  void operator()(dense_view<T, X> out, dense_view<T const, G> g) const {
    run(par{}, out, g);
  }

  using pullback_reads = reads_nothing;
  template <std::size_t I, class K> auto pullback(auto const& h, auto const&, auto const&) const {
    return detail::node_with<K>(avg_pool2d_op<Options>{{this->options}}, h);
  }
};

/// The largest element of each window, channel by channel; NaN if it has one. Padding is never the
/// largest.
/// Shape: (N, H, W, C) -> (N, rows, columns, C). With valid_padding, rows is (H - height) / stride
/// + 1; with same_padding, H / stride rounded up.  Type: floating point.
/// Throws: shape_error; out_of_memory for 16-bit numbers, which are copied to float.
/// Kernels: CPU, GPU (pattern custom).
template <pool2d_options Options = pool2d_options{}, operand X>
auto max_pool2d(X&& x, site at = site::here())
    -> node<max_pool2d_op<detail::options_in_type<Options>>, X> {
  detail::check_images<X>();
  return {{}, at, std::forward<X>(x)};
}
/// The same with options that are known at run time: `max_pool2d(x, {.window = {3, 3}})`.
template <operand X>
auto max_pool2d(X&& x, pool2d_options const& options, site at = site::here())
    -> node<max_pool2d_op<detail::run_time_options<pool2d_options>>, X> {
  detail::check_images<X>();
  return {{{{options}}}, at, std::forward<X>(x)};
}
/// The mean of each window, channel by channel. Padding is not part of it, as in TensorFlow.
/// Shape, Type, Throws, Kernels: those of max_pool2d.
template <pool2d_options Options = pool2d_options{}, operand X>
auto avg_pool2d(X&& x, site at = site::here())
    -> node<avg_pool2d_op<detail::options_in_type<Options>>, X> {
  detail::check_images<X>();
  return {{}, at, std::forward<X>(x)};
}
template <operand X>
auto avg_pool2d(X&& x, pool2d_options const& options, site at = site::here())
    -> node<avg_pool2d_op<detail::run_time_options<pool2d_options>>, X> {
  detail::check_images<X>();
  return {{{{options}}}, at, std::forward<X>(x)};
}

/// The gradient of sum(max_pool2d(x) * g) by x. y is the pool's result. Each gradient goes to the
/// first maximum of its window, in row-major order.
/// Shape: x's.  Type: floating point, the same for all.  Throws: shape_error, unless y and g have
/// the shape of the pool; out_of_memory for 16-bit numbers.  Kernels: CPU, GPU (pattern custom).
template <pool2d_options Options = pool2d_options{}, operand X, operand Y, operand G>
auto max_pool2d_gradient(X&& x, Y&& y, G&& g, site at = site::here())
    -> node<max_pool2d_gradient_op<detail::options_in_type<Options>>, X, Y, G> {
  detail::check_images<X, Y, G>();
  return {{}, at, std::forward<X>(x), std::forward<Y>(y), std::forward<G>(g)};
}
template <operand X, operand Y, operand G>
auto max_pool2d_gradient(X&& x, Y&& y, G&& g, pool2d_options const& options, site at = site::here())
    -> node<max_pool2d_gradient_op<detail::run_time_options<pool2d_options>>, X, Y, G> {
  detail::check_images<X, Y, G>();
  return {{{{options}}}, at, std::forward<X>(x), std::forward<Y>(y), std::forward<G>(g)};
}
/// The gradient of sum(avg_pool2d(x) * g) by the images x, whose shape is given.
/// Shape: as given.  Type, Throws, Kernels: those of max_pool2d_gradient.
template <pool2d_options Options = pool2d_options{}, operand G, class X> requires is_extents<X>
auto avg_pool2d_gradient(G&& g, X const& images, site at = site::here())
    -> node<avg_pool2d_gradient_op<detail::options_in_type<Options>, X>, G> {
  detail::check_images<G>();
  return {{{}, images}, at, std::forward<G>(g)};
}
template <operand G, class X> requires is_extents<X>
auto avg_pool2d_gradient(G&& g, X const& images, pool2d_options const& options,
                         site at = site::here())
    -> node<avg_pool2d_gradient_op<detail::run_time_options<pool2d_options>, X>, G> {
  detail::check_images<G>();
  return {{{options}, images}, at, std::forward<G>(g)};
}

/// The largest element of each image and channel: max(x, axis<1, 2>).
/// Shape: (N, H, W, C) -> (N, C).  Type, Throws, Kernels: those of max.
template <operand X> auto global_max_pool2d(X&& x, site at = site::here()) {
  detail::check_images<X>();
  return max(std::forward<X>(x), axis<1, 2>, at);
}
/// The mean of each image and channel: mean(x, axis<1, 2>).
/// Shape: (N, H, W, C) -> (N, C).  Type, Throws, Kernels: those of mean.
template <operand X> auto global_avg_pool2d(X&& x, site at = site::here()) {
  detail::check_images<X>();
  return mean(std::forward<X>(x), axis<1, 2>, at);
}

}}  // namespace placement::v0_1

#include <placement/ops/pool2d_second.hpp>

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/pool2d.ipp>
#endif
