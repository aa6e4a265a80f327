#pragma once
/// Batch normalisation without a scale, in training, and its max pool. placement.hpp does not
/// include this header.

#include <placement/cpu/custom.hpp>
#include <placement/kernels/gpu_lowering.hpp>
#include <placement/ops/batch_norm_training.hpp>
#include <placement/ops/over_axes.hpp>
#include <placement/ops/pool2d.hpp>
#include <placement/ops/relu.hpp>

namespace placement { inline namespace v0_1 {

template <class Options> struct batch_norm_pool_gradient_op;

namespace detail {
/// The sums of g and of g * (x - mean) over the batch, as parts of the gradient through the
/// moments of n elements: f(of_x, shift), for g - (x - mean) * of_x - shift.
template <class K, class G, class X, class M, class I, class F>
auto with_moment_gradients(G const& g, X const& x, M const& mean, I const& inverse, index_t n,
                           F const& f) {
  using T = typename X::value_type;
  constexpr batch_axes<X> batch{};
  T const each = T{1} / static_cast<T>(n);
  auto const products = node_with<K>(multiply_op{}, g, node_with<K>(subtract_op{}, x, mean));
  auto const of_products = sum(products, batch);
  auto const of_g = sum(g, batch);
  auto const square = node_with<K>(multiply_op{}, inverse, inverse);
  auto const scale = node_with<K>(multiply_op{}, square, scalar<T>{each});
  return f(node_with<K>(multiply_op{}, of_products, scale),
           node_with<K>(multiply_op{}, of_g, scalar<T>{each}));
}
}  // namespace detail

/// (x - mean) * inverse + offset, where mean and inverse, 1 / sqrt(variance + epsilon), are of x
/// itself. The gradient by x passes through them, so they have none of their own.
/// Shape: broadcast.  Type: float, double.  Kernels: CPU, GPU (pattern map).
/// Source of the gradient: Ioffe, Szegedy: Batch Normalization (2015), section 3.
struct batch_norm_unscaled_op : batch_norm_op {
  static constexpr int cost_per_element = 3;

  static constexpr bool sums_whole_gradient = true;
  using pullback_reads = reads_operands;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const& x, auto const& mean,
                       auto const& inverse, auto const&) {
    if constexpr (I == 0) {
      return detail::batch_norm_input_gradient<K>(g, x, mean, inverse, inverse);
    } else if constexpr (I == 3) {
      return g;
    } else {
      return zero_gradient{};
    }
  }
};
/// The same formula for elements of a batch that a pool has selected. The op that selects them has
/// the gradient through the moments.
/// Shape: broadcast.  Type: float, double.  Kernels: CPU, GPU (pattern map).
struct batch_norm_selected_op : batch_norm_op {
  using pullback_reads = reads_operand<2>;
  template <std::size_t I, class K>
  static auto pullback(auto const& g, auto const&, auto const&, auto const&, auto const& inverse,
                       auto const&) {
    if constexpr (I == 0) return detail::node_with<K>(multiply_op{}, g, inverse);
    else if constexpr (I == 3) return g;
    else return zero_gradient{};
  }
};

/// The largest elements of windows of x, of which mean and inverse are the moments. Its gradient
/// contains that through the moments: they are those of all of x.
template <class Options> struct batch_norm_pool_op : detail::pool_op<Options> {
  static constexpr std::string_view name = "MaxPool";
  using gpu_lowering = lowered::batch_norm_pool;

  template <class X, class M, class I> constexpr auto result(X const& x, M const&, I const&) const {
    return detail::pool2d_shape(x, this->options);
  }
  template <class Y, class X, class M, class I>
  void run(par on, dense_view<float, Y> out, dense_view<float const, X> x,
           dense_view<float const, M>, dense_view<float const, I>) const {
    if (out.size() != 0)
      detail::max_pool_forward(detail::product_element_of<float>, out.data, x.data,
                               this->sizes(x.shape), on);
  }
  template <class Y, class X, class M, class I>
  void operator()(dense_view<float, Y> out, dense_view<float const, X> x,
                  dense_view<float const, M> mean, dense_view<float const, I> inverse) const {
    run(par{}, out, x, mean, inverse);
  }

  using pullback_reads = reads_all;
  template <std::size_t J, class K>
  auto pullback(auto const& g, auto const& y, auto const& x, auto const& mean,
                auto const& inverse) const {
    if constexpr (J == 0)
      return detail::with_moment_gradients<K>(
          g, y, mean, inverse, detail::elements_of_channel(x.shape()),
          [&](auto const& of_x, auto const& shift) {
            return detail::node_with<K>(batch_norm_pool_gradient_op<Options>{{this->options}}, x, y,
                                        g, mean, of_x, shift);
          });
    else return zero_gradient{};
  }
};
/// The gradient of max_pool2d's images x, less (x - mean) * of_x + shift. y: the pool's result.
template <class Options> struct batch_norm_pool_gradient_op : detail::pool_op<Options> {
  static constexpr std::string_view name = "FusedBatchNormGradV3";
  using gpu_lowering = lowered::batch_norm_pool_gradient;

  template <class X, class Y, class G, class... Rows>
  constexpr X result(X const& x, Y const& y, G const& g, Rows const&...) const {
    detail::check_pool_gradient(x, y, this->options);
    detail::check_pool_gradient(x, g, this->options);
    return x;
  }
  template <class X, class Y, class G, class M, class A, class B>
  void run(par on, dense_view<float, X> out, dense_view<float const, X> x,
           dense_view<float const, Y> y, dense_view<float const, G> g,
           dense_view<float const, M> mean, dense_view<float const, A> of_x,
           dense_view<float const, B> shift) const {
    if (out.size() == 0) return;
    // A variable: nvcc 13 splits a braced list among the arguments.
    detail::batch_norm_pool_call const call{x.data,    y.data,    g.data,
                                            mean.data, of_x.data, shift.data};
    detail::batch_norm_pool_backward(out.data, call, this->sizes(x.shape), on);
  }
  template <class X, class Y, class G, class M, class A, class B>
  void operator()(dense_view<float, X> out, dense_view<float const, X> x,
                  dense_view<float const, Y> y, dense_view<float const, G> g,
                  dense_view<float const, M> mean, dense_view<float const, A> of_x,
                  dense_view<float const, B> shift) const {
    run(par{}, out, x, y, g, mean, of_x, shift);
  }
};

/// For batch_norm_training: no scale. Maxima of the result are then those of x, normalised.
struct without_scale_t {};

/// batch_norm_training(x, m, 1, offset, epsilon).
/// Shape, Type, Kernels, Throws: those of batch_norm_training.
template <operand X, class O, class K = kernels_here>
auto batch_norm_training(X&& x, channel_moments<computed_in<typename bare<X>::value_type>> const& m,
                         without_scale_t, O const& offset, double epsilon = 1e-3,
                         site at = site::here()) {
  using U = computed_in<typename bare<X>::value_type>;
  using row = tensor<U, dextents<1>>;
  if constexpr (std::is_same_v<U, typename bare<X>::value_type>) {
    static_assert(detail::check_normalisation<X, O>());
    detail::check_batch_norm(x, m, U{1}, offset, at);
    detail::gradient_pause const pause;
    return expr<batch_norm_unscaled_op, K, node_operand_t<X>, row, row, detail::parameter_t<U, O>>(
        {}, at, std::forward<X>(x), m.mean, detail::channel_factor(m, U{1}, epsilon, at),
        detail::parameter_of<U>(offset));
  } else {
    return batch_norm_training<X, U, O, K>(std::forward<X>(x), m, U{1}, offset, epsilon, at);
  }
}

namespace detail {
/// Whether X is relu(batch_norm_training(x, m, without_scale_t{}, offset)) of a tensor of floats.
template <class X> struct normalised_relu {
  static constexpr bool matches = false;
};
template <class K, class X, class M, class I, class O>
struct normalised_relu<expr<relu_op, K, expr<batch_norm_unscaled_op, K, X, M, I, O>>> {
  static constexpr bool matches =
      is_tensor<X> && X::rank == 4 && std::is_same_v<typename X::value_type, float>;
};
/// max_pool2d of that, as relu of normalised maxima: all these functions are monotonic.
template <pool2d_options Options, class K, class X, class M, class I, class O>
auto max_pool2d_of_normalised(
    expr<relu_op, K, expr<batch_norm_unscaled_op, K, X, M, I, O>> const& y, site at) {
  using pool = batch_norm_pool_op<options_in_type<Options>>;
  auto const& norm = y.template arg<0>();
  auto const &mean = norm.template arg<1>(), &inverse = norm.template arg<2>();
  using selected = expr<pool, K, X, M, I>;
  using normalised = expr<batch_norm_selected_op, K, selected, M, I, O>;
  return expr<relu_op, K, normalised>{
      {},
      y.from.where,
      normalised{{},
                 norm.from.where,
                 selected{{}, at, norm.template arg<0>(), mean, inverse},
                 mean,
                 inverse,
                 norm.template arg<3>()}};
}
}  // namespace detail

}}  // namespace placement::v0_1
