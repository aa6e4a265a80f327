#pragma once
/// Layers of images: convolutions and pools, of samples (height, width, channels).

#include <placement/nn/initializers.hpp>
#include <placement/nn/layer.hpp>
#include <placement/nn/variable.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/batch_norm_pool.hpp>
#include <placement/ops/conv2d.hpp>
#include <placement/ops/conv2d_pool.hpp>
#include <placement/ops/pool2d.hpp>
#include <placement/shape/axis.hpp>

#include <string_view>
#include <tuple>
#include <utility>

namespace placement { inline namespace v0_1 { namespace nn {

namespace detail {

/// The shape of a sample as that of a batch of one.
template <index_t... N> auto batch_of_one(extents<N...> const& sample) {
  extents<1, N...> batch{};
  if constexpr (!extents<1, N...>::is_static) {
    batch.n[0] = 1;
    for (std::size_t d = 0; d != sizeof...(N); ++d) batch.n[d + 1] = sample.at(d);
  }
  return batch;
}
template <class X> auto sample_of(X const& batch) {
  return placement::detail::without(batch, axis<0>);
}
/// Whether the samples of X are images. Otherwise asserts with one sentence.
template <class Sample> constexpr bool check_image() {
  static_assert(
      Sample::rank == 3,
      "placement: this layer takes images of height, width and channels: extents<28, 28, 1>.");
  return Sample::rank == 3;
}

}  // namespace detail

/// conv2d(x, kernel) + bias: (n, H, W, In) -> (n, rows, columns, Out).
/// Parameters: kernel (height, width, In, Out), bias (Out).
template <class T, class Kernel, conv2d_options Options, class Bias> struct conv2d_layer {
  static constexpr std::string_view layer_name = "conv2d";
  static constexpr bool reads_tensor = true, shares_kernels = true;

  variable<T, Kernel> kernel;
  Bias bias;

  auto parts() { return std::tie(kernel, bias); }
  auto parts() const { return std::tie(kernel, bias); }

  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    auto y = placement::conv2d<Options>(x, kernel.value(), at);
    if constexpr (is_variable<Bias>) return add(std::move(y), bias.value(), at);
    else return y;
  }
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, in_model_t, site at = site::here()) const {
    auto y = placement::conv2d<Options>(x, kernel.run_time_value(), at);
    if constexpr (is_variable<Bias>) return add(std::move(y), bias.run_time_value(), at);
    else return y;
  }
  template <class X> auto output(X const& sample) const {
    return detail::sample_of(
        placement::detail::conv2d_shape(detail::batch_of_one(sample), kernel.shape(),
                                        placement::detail::options_in_type<Options>{}));
  }
};

/// Describes a convolution with Out filters of Height rows and Width columns:
/// `conv2d<12, 5, 5>{}`, `conv2d<6, 5, 5, {.padding = same_padding}, without_bias>{}`. The defaults
/// are those of tf.layers.conv2d.
template <index_t Out, index_t Height, index_t Width, conv2d_options Options = conv2d_options{},
          class Bias = with_bias>
struct conv2d {
  static_assert(Out > 0 && Height > 0 && Width > 0,
                "placement: a conv2d layer has a static number of filters, of 1 row and column or "
                "more: conv2d<12, 5, 5>.");
  initializer kernel = init::glorot_uniform;
  initializer bias = init::zeros;

  template <element T, class X, class K = kernels_here>
  auto layer(X const& sample, site at = site::here()) const {
    if constexpr (detail::check_image<X>()) {
      constexpr index_t channels = X::static_extent(2);
      using filter = extents<Height, Width, channels == dyn ? dyn : channels / Options.groups, Out>;
      filter shape{};
      if constexpr (channels == dyn) shape = {{Height, Width, sample.at(2) / Options.groups, Out}};
      variable<T, filter> weights("kernel", kernel.template make<T>(shape, at));
      if constexpr (std::is_same_v<Bias, without_bias>) {
        return conv2d_layer<T, filter, Options, without_bias>{std::move(weights), {}};
      } else {
        using offsets = variable<T, extents<Out>>;
        return conv2d_layer<T, filter, Options, offsets>{
            std::move(weights), offsets("bias", bias.template make<T>(extents<Out>{}, at))};
      }
    }
  }
};

/// The largest element of each window: `max_pool2d{}` halves an image;
/// `max_pool2d<{.window = {3, 3}, .strides = {2, 2}}>{}`.
template <pool2d_options Options = pool2d_options{}> struct max_pool2d {
  static constexpr bool reads_tensor = true;
  /// After a conv2d layer with a bias and relu, all are one op. After batch_norm without a scale,
  /// and relu, the maxima alone are normalised.
  template <class X>
  static constexpr bool fuses_with =
      placement::detail::normalised_relu<X>::matches ||
      placement::detail::has_fused_form<
          unary<max_pool2d_op<placement::detail::options_in_type<Options>>, X>>;

  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    if constexpr (placement::detail::normalised_relu<X>::matches)
      return placement::detail::max_pool2d_of_normalised<Options>(x, at);
    else return placement::max_pool2d<Options>(x, at);
  }
  template <class X> auto output(X const& sample) const {
    return detail::sample_of(placement::detail::pool2d_shape(
        detail::batch_of_one(sample), placement::detail::options_in_type<Options>{}));
  }
};
/// The mean of each window.
template <pool2d_options Options = pool2d_options{}> struct avg_pool2d {
  static constexpr bool reads_tensor = true;

  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    return placement::avg_pool2d<Options>(x, at);
  }
  template <class X> auto output(X const& sample) const {
    return detail::sample_of(placement::detail::pool2d_shape(
        detail::batch_of_one(sample), placement::detail::options_in_type<Options>{}));
  }
};

}}}  // namespace placement::v0_1::nn
