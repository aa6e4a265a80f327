#pragma once
/// A convolution with a bias, relu and a max pool as one op. placement.hpp does not include this
/// header.

#include <placement/cpu/conv2d_pool.hpp>
#include <placement/expr/fused_form.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/kernels/kept_bytes.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/conv2d_ops.hpp>
#include <placement/ops/join_axes.hpp>
#include <placement/ops/pool2d.hpp>
#include <placement/ops/relu.hpp>
#include <placement/ops/sum.hpp>

namespace placement { inline namespace v0_1 {

template <class Options, class Pool> struct conv2d_pool_input_gradient_op;
template <class Options, class Pool> struct conv2d_pool_filter_gradient_op;

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_bias(any_shape const& b, index_t n) {
  throw shape_error("placement: conv2d_relu_max_pool2d with a bias of shape " +
                    list_text(b.extent, b.rank) + " for " + std::to_string(n) +
                    " filters. Give one number per filter.");
}

namespace no_adl {
/// The convolution's and the pool's options, and the kernels of both.
template <class Options, class Pool> struct conv2d_pool_base {
  using pattern = custom;
  template <class> static constexpr bool has_gpu_kernel = true;
  static constexpr bool partitions = true;
  static constexpr bool is_determined_by_type = std::is_empty_v<Options> && std::is_empty_v<Pool>;

  [[no_unique_address]] Options options;
  [[no_unique_address]] Pool pool;
  kept_bytes kept{};  ///< the position of each maximum in its window

  /// The shape of the pool's result.
  template <class X, class W, class B>
  constexpr auto pooled(X const& x, W const& w, B const& b) const {
    static_assert(B::rank == 1, "placement: a bias is a vector with one number per filter.");
    auto const y = conv2d_shape(x, w, options);
    if (b.at(0) != y.at(3)) throw_no_bias(b, y.at(3));
    return pool2d_shape(y, pool);
  }
  template <class X, class W> constexpr conv2d_sizes sizes(X const& x, W const& w) const {
    return conv2d_sizes_of(x, w, options.get());
  }
  template <class X, class W> constexpr pool2d_sizes pool_sizes(X const& x, W const& w) const {
    return pool2d_sizes_of(conv2d_shape(x, w, options), pool.get());
  }
  /// Calls f(the call of the loops).
  template <class X, class W, class B, class F>
  void with_call(dense_view<float const, X> x, dense_view<float const, W> w,
                 dense_view<float const, B> b, F const& f) const {
    conv2d_sizes const s = sizes(x.shape, w.shape);
    pool2d_sizes const p = pool_sizes(x.shape, w.shape);
    f(conv2d_pool_call{x.data, w.data, b.data, s, p, kept});
  }
};
}  // namespace no_adl
using no_adl::conv2d_pool_base;
}  // namespace detail

/// max_pool2d(relu(conv2d(x, w) + bias)).
template <class Options, class Pool>
struct conv2d_pool_op : detail::conv2d_pool_base<Options, Pool> {
  static constexpr std::string_view name = "_FusedConv2D";
  using gpu_lowering = lowered::conv2d_pool;

  template <class X, class W, class B>
  constexpr auto result(X const& x, W const& w, B const& b) const {
    return this->pooled(x, w, b);
  }
  template <class Y, class X, class W, class B>
  void run(par on, dense_view<float, Y> out, dense_view<float const, X> x,
           dense_view<float const, W> w, dense_view<float const, B> b) const {
    if (out.size() == 0) return;
    this->with_call(x, w, b, [&](detail::conv2d_pool_call const& call) {
      detail::conv2d_pool_forward(out.data, call, on);
    });
  }
  template <class Y, class X, class W, class B>
  void operator()(dense_view<float, Y> out, dense_view<float const, X> x,
                  dense_view<float const, W> w, dense_view<float const, B> b) const {
    run(par{}, out, x, w, b);
  }

  using pullback_reads = reads_all;
  template <std::size_t I, class K>
  auto pullback(auto const& g, auto const& y, auto const& x, auto const& w, auto const& b) const {
    if constexpr (I == 0)
      return detail::node_with<K>(
          conv2d_pool_input_gradient_op<Options, Pool>{{this->options, this->pool, this->kept}}, x,
          w, b, g);
    else if constexpr (I == 1)
      return detail::node_with<K>(
          conv2d_pool_filter_gradient_op<Options, Pool>{{this->options, this->pool, this->kept}}, x,
          w, b, g);
    else {
      constexpr auto pixels = axis<0, 1, 2>;
      auto const passed = detail::node_with<K>(relu_grad_op{}, g, y);
      using total =
          detail::reduced_over<sum_op, decltype(passed)&, std::remove_const_t<decltype(pixels)>, K>;
      return detail::reduce_over<total>(passed, pixels, {});
    }
  }
};
/// The gradient of conv2d_pool_op's images. The convolution is computed again, unless the positions
/// of the maxima were kept.
template <class Options, class Pool>
struct conv2d_pool_input_gradient_op : detail::conv2d_pool_base<Options, Pool> {
  static constexpr std::string_view name = "_FusedConv2DBackpropInput";
  using gpu_lowering = lowered::conv2d_pool_input_gradient;

  template <class X, class W, class B, class G>
  constexpr X result(X const& x, W const& w, B const& b, G const& g) const {
    detail::check_pool_gradient(detail::conv2d_shape(x, w, this->options), g, this->pool);
    static_cast<void>(this->pooled(x, w, b));
    return x;
  }
  template <class X, class W, class B, class G>
  void run(par on, dense_view<float, X> out, dense_view<float const, X> x,
           dense_view<float const, W> w, dense_view<float const, B> b,
           dense_view<float const, G> g) const {
    if (out.size() == 0) return;
    this->with_call(x, w, b, [&](detail::conv2d_pool_call const& call) {
      detail::conv2d_pool_backward_input(out.data, call, g.data, on);
    });
  }
  template <class X, class W, class B, class G>
  void operator()(dense_view<float, X> out, dense_view<float const, X> x,
                  dense_view<float const, W> w, dense_view<float const, B> b,
                  dense_view<float const, G> g) const {
    run(par{}, out, x, w, b, g);
  }
};
/// The gradient of conv2d_pool_op's filter, in the same way.
template <class Options, class Pool>
struct conv2d_pool_filter_gradient_op : detail::conv2d_pool_base<Options, Pool> {
  static constexpr std::string_view name = "_FusedConv2DBackpropFilter";
  using gpu_lowering = lowered::conv2d_pool_filter_gradient;

  template <class X, class W, class B, class G>
  constexpr W result(X const& x, W const& w, B const& b, G const& g) const {
    detail::check_pool_gradient(detail::conv2d_shape(x, w, this->options), g, this->pool);
    static_cast<void>(this->pooled(x, w, b));
    return w;
  }
  template <class X, class W, class B, class G>
  void run(par on, dense_view<float, W> out, dense_view<float const, X> x,
           dense_view<float const, W> w, dense_view<float const, B> b,
           dense_view<float const, G> g) const {
    if (out.size() == 0) return;
    this->with_call(x, w, b, [&](detail::conv2d_pool_call const& call) {
      detail::conv2d_pool_backward_filter(out.data, call, g.data, on);
    });
  }
  template <class X, class W, class B, class G>
  void operator()(dense_view<float, W> out, dense_view<float const, X> x,
                  dense_view<float const, W> w, dense_view<float const, B> b,
                  dense_view<float const, G> g) const {
    run(par{}, out, x, w, b, g);
  }
};

namespace detail {
/// max_pool2d(relu(conv2d(x, w) + bias)) of floats, with options in types.
template <conv2d_options Options, pool2d_options Pool, class K, class X, class W, class B>
requires(std::is_same_v<typename X::value_type, float> && is_tensor<B> && B::rank == 1)
struct fused_form<expr<
    max_pool2d_op<options_in_type<Pool>>, K,
    expr<relu_op, K, expr<add_op, K, expr<conv2d_op<options_in_type<Options>>, K, X, W>, B>>>> {
  using type = expr<conv2d_pool_op<options_in_type<Options>, options_in_type<Pool>>, K, X, W, B>;

  template <class N> static constexpr auto const& relu_of(N const& n) {
    return n.template arg<0>();
  }
  template <class N> static constexpr auto const& sum_of(N const& n) {
    return relu_of(n).template arg<0>();
  }
  template <class N> static constexpr auto const& inner(N const& n) {
    return sum_of(n).template arg<0>();
  }
  /// Whether there is one bias for each filter, and all nodes run on one device.
  template <class N> static constexpr bool matches(N const& n, bool shapes_known = true) {
    index_t const bias = sum_of(n).template arg<1>().shape().at(0),
                  filters = inner(n).shape().at(3);
    bool const is_open =
        !shapes_known && (!B::extents_type::is_static || !W::extents_type::is_static);
    if (bias != filters && !is_open) return false;
    if constexpr (requires { n.from; })
      return have_one_origin(n.from, relu_of(n).from) && have_one_origin(n.from, sum_of(n).from) &&
             have_one_origin(n.from, inner(n).from);
    else return true;
  }
  template <class N, class F> static constexpr auto call(N const& n, F const& f) {
    return f(inner(n).template arg<0>(), inner(n).template arg<1>(), sum_of(n).template arg<1>());
  }
};
}  // namespace detail

/// max_pool2d<Pool>(relu(conv2d<Options>(x, w) + bias)) as one op, whose convolution is not in
/// memory. Evaluations of that expression choose this op. A gradient tape keeps the positions of
/// the maxima, one byte each. Without them gradients compute the convolution again.
/// Shape: (N, H, W, C), (height, width, C / groups, F), (F) -> (N, rows, columns, F), those of
/// max_pool2d.  Type: float.  Throws: shape_error; out_of_memory.
/// Kernels: CPU, GPU (pattern custom).
/// Cost: that of conv2d. The convolution is in scratch memory where windows of the pool overlap or
/// leave pixels out, and on GPUs. So it is for strides, groups, and fewer images than a vector has
/// numbers.
template <conv2d_options Options = conv2d_options{}, pool2d_options Pool = pool2d_options{},
          operand X, operand W, operand B>
auto conv2d_relu_max_pool2d(X&& x, W&& w, B&& bias, site at = site::here())
    -> node<conv2d_pool_op<detail::options_in_type<Options>, detail::options_in_type<Pool>>, X, W,
            B> {
  detail::check_images<X, W, B>();
  static_assert(
      std::is_same_v<typename bare<X>::value_type, float>,
      "placement: conv2d_relu_max_pool2d takes floats. Write max_pool2d(relu(conv2d(x, w) + bias)).");
  return {{}, at, std::forward<X>(x), std::forward<W>(w), std::forward<B>(bias)};
}

}}  // namespace placement::v0_1

#if !defined(PLACEMENT_COMPILED)
#  include <placement/src/cpu/conv2d_pool.ipp>
#endif
