#pragma once

#include <placement/nn/initializers.hpp>
#include <placement/nn/layer.hpp>
#include <placement/nn/variable.hpp>
#include <placement/ops/add.hpp>
#include <placement/ops/matmul.hpp>

#include <string_view>
#include <tuple>

namespace placement { inline namespace v0_1 { namespace nn {

/// matmul(x, kernel) + bias, for samples in rows: (n, In) -> (n, Out). In may be dyn.
/// Parameters: kernel (In, Out), bias (Out).
template <element T, index_t In, index_t Out> struct dense_layer {
  static constexpr std::string_view layer_name = "dense";
  static constexpr bool reads_tensor = true, shares_kernels = true;

  variable<T, extents<In, Out>> kernel;
  variable<T, extents<Out>> bias;

  auto parts() { return std::tie(kernel, bias); }
  auto parts() const { return std::tie(kernel, bias); }

  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    if constexpr (check_features<In, X>())
      return add(matmul(x, kernel.value(), at), bias.value(), at);
    else return kernel.value();
  }
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, in_model_t, site at = site::here()) const {
    return add(matmul(x, kernel.run_time_value(), at), bias.run_time_value(), at);
  }
  template <class X> extents<Out> output(X const&) const { return {}; }
};
/// A dense layer without a bias.
template <element T, index_t In, index_t Out> struct dense_product {
  static constexpr std::string_view layer_name = "dense";
  static constexpr bool reads_tensor = true, shares_kernels = true;

  variable<T, extents<In, Out>> kernel;

  auto parts() { return std::tie(kernel); }
  auto parts() const { return std::tie(kernel); }

  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    if constexpr (check_features<In, X>()) return matmul(x, kernel.value(), at);
    else return kernel.value();
  }
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, in_model_t, site at = site::here()) const {
    return matmul(x, kernel.run_time_value(), at);
  }
  template <class X> extents<Out> output(X const&) const { return {}; }
};

/// Describes a dense layer with Out outputs: `dense<100>{}`, `dense<100, without_bias>{}`. The
/// defaults are those of tf.layers.dense. layer() makes the layer for samples of a shape.
template <index_t Out, class Bias = with_bias> struct dense {
  static_assert(Out >= 0, "placement: a dense layer has a static number of outputs: dense<100>.");
  initializer kernel = init::glorot_uniform;
  initializer bias = init::zeros;

  template <element T, class X, class K = kernels_here>
  auto layer(X const& sample, site at = site::here()) const {
    static_assert(
        X::rank == 1,
        "placement: a dense layer takes samples that are vectors. Put flatten before it.");
    constexpr index_t in = X::static_extent(0);
    using kernel_shape = extents<in, Out>;
    kernel_shape shape{};
    if constexpr (in == dyn) shape = {{sample.at(0), Out}};
    variable<T, kernel_shape> weights("kernel", kernel.template make<T>(shape, at));
    if constexpr (std::is_same_v<Bias, without_bias>)
      return dense_product<T, in, Out>{std::move(weights)};
    else
      return dense_layer<T, in, Out>{
          std::move(weights),
          variable<T, extents<Out>>("bias", bias.template make<T>(extents<Out>{}, at))};
  }
};

}}}  // namespace placement::v0_1::nn
