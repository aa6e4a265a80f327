#pragma once
/// Batch normalisation as a layer, with moving statistics.

#include <placement/nn/initializers.hpp>
#include <placement/nn/layer.hpp>
#include <placement/nn/variable.hpp>
#include <placement/ops/batch_norm.hpp>
#include <placement/ops/batch_norm_pool.hpp>
#include <placement/ops/update_moving.hpp>

#include <string_view>
#include <tuple>
#include <utility>

namespace placement { inline namespace v0_1 { namespace nn {

struct with_scale {};
struct without_scale {};

/// Normalises each channel, the last dimension: in training by the moments of the batch, which also
/// move the moving ones; in inference by the moving ones.
/// Parameters: gamma (C), unless without_scale, and beta (C). Not trained: moving_mean and
/// moving_variance (C). Those of 16-bit samples are of float.
template <class U, index_t C, class Gamma> struct batch_norm_layer {
  static constexpr std::string_view layer_name = "batch_normalization";
  static constexpr bool reads_tensor = true, shares_kernels = true;
  using row = variable<U, extents<C>>;

  Gamma gamma;
  row beta, moving_mean, moving_variance;
  double decay, epsilon;

  auto parts() { return std::tie(gamma, beta); }
  auto parts() const { return std::tie(gamma, beta); }
  auto non_trainable() { return std::tie(moving_mean, moving_variance); }
  auto non_trainable() const { return std::tie(moving_mean, moving_variance); }

  template <operand X, class K = kernels_here>
  auto operator()(X const& x, site at = site::here()) const {
    return by_moving<K>(x, scale(), beta.value(), at);
  }
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, in_model_t, site at = site::here()) const {
    return by_moving<K>(x, run_time_scale(), beta.run_time_value(), at);
  }
  /// Throws: shape_error for a batch with one element per channel.
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, training_t, site at = site::here()) {
    return trained<K>(x, moments_of_batch<K>(x, at), scale(), beta.value(), at);
  }
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, training_t, in_model_t, site at = site::here()) {
    return trained<K>(x, moments_of_batch<K>(x, at), run_time_scale(), beta.run_time_value(), at);
  }
  template <class X> X output(X const& sample) const { return sample; }

 private:
  channel_moments<U> moving() const {
    return {moving_mean.run_time_value(), moving_variance.run_time_value(), 0};
  }
  /// The moments of a batch, which also move the moving ones. Not recorded.
  template <class K, class X> channel_moments<U> moments_of_batch(X const& x, site at) {
    using plain = typename placement::detail::without_recording<K>::type;
    placement::detail::gradient_pause const pause;
    auto m = batch_moments<X, plain>(x, at);
    auto moved = moving();
    update_moving<U, plain>(moved, m, decay, at);
    moving_mean.template assign<tensor<U, dextents<1>> const&, K>(moved.mean, at);
    moving_variance.template assign<tensor<U, dextents<1>> const&, K>(moved.variance, at);
    return m;
  }
  decltype(auto) scale() const {
    if constexpr (is_variable<Gamma>) return gamma.value();
    else return U{1};
  }
  auto run_time_scale() const {
    if constexpr (is_variable<Gamma>) return gamma.run_time_value();
    else return U{1};
  }
  template <class K, class X, class S, class O>
  auto by_moving(X const& x, S const& scale, O const& offset, site at) const {
    return placement::batch_norm<X const&, S, O, K>(x, moving(), scale, offset, epsilon, at);
  }
  template <class K, class X, class S, class O>
  auto trained(X const& x, channel_moments<U> const& m, S const& scale, O const& offset,
               site at) const {
    if constexpr (is_variable<Gamma>)
      return placement::batch_norm_training<X const&, S, O, K>(x, m, scale, offset, epsilon, at);
    else
      return placement::batch_norm_training<X const&, O, K>(x, m, without_scale_t{}, offset,
                                                            epsilon, at);
  }
};

/// Describes batch normalisation: `batch_norm{}`, `batch_norm<without_scale>{.decay = 0.9}`. The
/// defaults are those of tf.layers.batch_normalization; slim's are without_scale and a decay of
/// 0.999.
template <class Scale = with_scale> struct batch_norm {
  double decay = 0.99;
  double epsilon = 1e-3;

  template <element T, class X, class K = kernels_here>
  auto layer(X const& sample, site at = site::here()) const {
    static_assert(X::rank >= 1, "placement: batch_norm takes samples with channels.");
    using U = computed_in<T>;
    constexpr index_t channels = X::static_extent(X::rank - 1);
    extents<channels> shape{};
    if constexpr (channels == dyn) shape = {{sample.at(X::rank - 1)}};
    using row = variable<U, extents<channels>>;
    auto const filled = [&](char const* name, initializer const& value, bool trainable = true) {
      return row(name, value.template make<U>(shape, at), {.trainable = trainable}, at);
    };
    if constexpr (std::is_same_v<Scale, with_scale>)
      return batch_norm_layer<U, channels, row>{filled("gamma", init::ones),
                                                filled("beta", init::zeros),
                                                filled("moving_mean", init::zeros, false),
                                                filled("moving_variance", init::ones, false),
                                                decay,
                                                epsilon};
    else
      return batch_norm_layer<U, channels, without_scale>{
          {},
          filled("beta", init::zeros),
          filled("moving_mean", init::zeros, false),
          filled("moving_variance", init::ones, false),
          decay,
          epsilon};
  }
};

}}}  // namespace placement::v0_1::nn
