#pragma once
/// Layer normalisation as a layer.

#include <placement/nn/layer.hpp>
#include <placement/nn/variable.hpp>
#include <placement/ops/constant.hpp>
#include <placement/ops/layer_norm.hpp>

#include <string_view>
#include <tuple>

namespace placement { inline namespace v0_1 { namespace nn {

/// Normalises the last dimension of each sample, in training as in inference.
/// Parameters: gamma (C) and beta (C). Those of 16-bit samples are of float.
template <class U, index_t C> struct layer_norm_layer {
  static constexpr std::string_view layer_name = "layer_normalization";
  static constexpr bool reads_tensor = true;
  using row = variable<U, extents<C>>;

  row gamma, beta;
  double epsilon;

  auto parts() { return std::tie(gamma, beta); }
  auto parts() const { return std::tie(gamma, beta); }

  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    using vector = tensor<U, extents<C>>;
    return expr<layer_norm_op, K, node_operand_t<X const&>, vector, vector>(
        {epsilon}, at, x, gamma.value(), beta.value());
  }
  template <class X> X output(X const& sample) const { return sample; }
};

/// Describes layer normalisation: `layer_norm{}`, `layer_norm{.epsilon = 1e-3}`. The default is
/// that of torch.nn.LayerNorm.
struct layer_norm {
  double epsilon = 1e-5;

  template <element T, class X, class K = kernels_here>
  auto layer(X const& sample, site at = site::here()) const {
    static_assert(X::rank >= 1, "placement: layer_norm takes samples of rank 1 or more.");
    using U = computed_in<T>;
    constexpr index_t channels = X::static_extent(X::rank - 1);
    extents<channels> shape{};
    if constexpr (channels == dyn) shape = {{sample.at(X::rank - 1)}};
    using row = variable<U, extents<channels>>;
    return layer_norm_layer<U, channels>{row("gamma", constant(U{1}, shape, at), at),
                                         row("beta", constant(U{}, shape, at), at), epsilon};
  }
};

}}}  // namespace placement::v0_1::nn
