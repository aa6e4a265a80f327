#pragma once
/// The ops of convolutions of images and of their gradients. Their functions are in conv2d.hpp.

#include <placement/cpu/conv2d.hpp>
#include <placement/cpu/custom.hpp>
#include <placement/expr/operand.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/ops/window_extents.hpp>

namespace placement { inline namespace v0_1 {

template <class Options, class X> struct conv2d_input_gradient_op;
template <class Options, class W> struct conv2d_filter_gradient_op;
template <class Options> struct conv2d_op;

namespace detail {
/// The nodes of a convolution and its gradients, for their pullbacks. K: the kernels of the file.
template <class K, class Op, class A, class B>
auto convolution_node(Op const& op, A const& a, B const& b) {
  return expr<Op, K, node_operand_t<A const&>, node_operand_t<B const&>>{op, {}, a, b};
}
template <class K, class Options, class A, class B>
auto convolution(Options const& o, A const& x, B const& w) {
  return convolution_node<K>(conv2d_op<Options>{o}, x, w);
}
template <class K, class Options, class A, class B, class X>
auto input_gradient(Options const& o, A const& w, B const& g, X const& images) {
  return convolution_node<K>(conv2d_input_gradient_op<Options, X>{o, images}, w, g);
}
template <class K, class Options, class A, class B, class W>
auto filter_gradient(Options const& o, A const& x, B const& g, W const& filter) {
  return convolution_node<K>(conv2d_filter_gradient_op<Options, W>{o, filter}, x, g);
}
}  // namespace detail

/// The sums of products of images with a filter that slides over them. Options: run_time_options or
/// options_in_type.
template <class Options> struct conv2d_op {
  static constexpr std::string_view name = "Conv2D";
  using pattern = custom;
  using gpu_lowering = lowered::conv2d;
  template <class T> static constexpr bool has_gpu_kernel = real_number<T>;
  static constexpr bool partitions = true;
  static constexpr bool applies_epilogue = true;

  [[no_unique_address]] Options options;

  template <class X, class W> constexpr auto result(X const& x, W const& w) const {
    return detail::conv2d_shape(x, w, options);
  }
  template <class X, class W> constexpr conv2d_sizes sizes(X const& x, W const& w) const {
    return detail::conv2d_sizes_of(x, w, options.get());
  }
  template <class T, class Y, class X, class W>
  void run(par on, dense_view<T, Y> out, dense_view<T const, X> x, dense_view<T const, W> w,
           detail::epilogue_callback const& epilogue = {}) const {
    if (out.size() == 0) return;
    detail::conv2d_forward(detail::product_element_of<T>, out.data, x.data, w.data,
                           sizes(x.shape, w.shape), on, epilogue);
  }
  template <class T, class Y, class X, class W>
  void operator()(dense_view<T, Y> out, dense_view<T const, X> x, dense_view<T const, W> w) const {
    run(par{}, out, x, w);
  }

  using pullback_reads = reads_other_operands;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const&, auto const& x, auto const& w) const {
    if constexpr (I == 0) return detail::input_gradient<K>(options, w, g, x.shape());
    else return detail::filter_gradient<K>(options, x, g, w.shape());
  }
};

/// The gradient of a convolution's images. X: their shape.
template <class Options, class X> struct conv2d_input_gradient_op {
  static constexpr std::string_view name = "Conv2DBackpropInput";
  using pattern = custom;
  using gpu_lowering = lowered::conv2d_input_gradient;
  template <class T> static constexpr bool has_gpu_kernel = real_number<T>;
  static constexpr bool partitions = true;

  [[no_unique_address]] Options options;
  [[no_unique_address]] X images;

  template <class W, class G> constexpr X result(W const& w, G const& g) const {
    detail::check_conv2d_gradient(images, w, g, options);
    return images;
  }
  template <class W> constexpr conv2d_sizes sizes(W const& w) const {
    return detail::conv2d_sizes_of(images, w, options.get());
  }
  template <class T, class W, class G>
  void run(par on, dense_view<T, X> out, dense_view<T const, W> w, dense_view<T const, G> g) const {
    if (out.size() == 0) return;
    detail::conv2d_backward_input(detail::product_element_of<T>, out.data, w.data, g.data,
                                  sizes(w.shape), on);
  }
  template <class T, class W, class G>
  void operator()(dense_view<T, X> out, dense_view<T const, W> w, dense_view<T const, G> g) const {
    run(par{}, out, w, g);
  }

  using pullback_reads = reads_other_operands;
  template <std::size_t I, class K>
  auto pullback(auto const& h, auto const&, auto const& w, auto const& g) const {
    if constexpr (I == 0) return detail::filter_gradient<K>(options, h, g, w.shape());
    else return detail::convolution<K>(options, h, w);
  }
};
/// The gradient of a convolution's filter. W: its shape.
template <class Options, class W> struct conv2d_filter_gradient_op {
  static constexpr std::string_view name = "Conv2DBackpropFilter";
  using pattern = custom;
  using gpu_lowering = lowered::conv2d_filter_gradient;
  template <class T> static constexpr bool has_gpu_kernel = real_number<T>;
  static constexpr bool partitions = true;

  [[no_unique_address]] Options options;
  [[no_unique_address]] W filter;

  template <class X, class G> constexpr W result(X const& x, G const& g) const {
    detail::check_conv2d_gradient(x, filter, g, options);
    return filter;
  }
  template <class X> constexpr conv2d_sizes sizes(X const& x) const {
    return detail::conv2d_sizes_of(x, filter, options.get());
  }
  template <class T, class X, class G>
  void run(par on, dense_view<T, W> out, dense_view<T const, X> x, dense_view<T const, G> g) const {
    if (out.size() == 0) return;
    detail::conv2d_backward_filter(detail::product_element_of<T>, out.data, x.data, g.data,
                                   sizes(x.shape), on);
  }
  template <class T, class X, class G>
  void operator()(dense_view<T, W> out, dense_view<T const, X> x, dense_view<T const, G> g) const {
    run(par{}, out, x, g);
  }

  using pullback_reads = reads_other_operands;
  template <std::size_t I, class K>
  auto pullback(auto const& h, auto const&, auto const& x, auto const& g) const {
    if constexpr (I == 0) return detail::input_gradient<K>(options, h, g, x.shape());
    else return detail::convolution<K>(options, x, h);
  }
};

}}  // namespace placement::v0_1

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/conv2d.ipp>
#endif
