#pragma once
/// Batch normalisation by the moments of the batches of all towers.

#include <placement/nn/batch_norm.hpp>
#include <placement/ops/mean.hpp>
#include <placement/ops/rsqrt.hpp>
#include <placement/ops/square.hpp>
#include <placement/parallel/exchange.hpp>

#include <type_traits>
#include <utility>

namespace placement { inline namespace v0_1 { namespace parallel {

/// As nn::batch_norm_layer, but in training the moments are those of all towers' batches. Towers of
/// one step have batches of one shape. Outside of towers, or with one tower: that layer.
/// Cost: five exchanges among the towers, two forward and three for the gradient.
template <class U, index_t C, class Gamma>
struct sync_batch_norm_layer : nn::batch_norm_layer<U, C, Gamma> {
  using base = nn::batch_norm_layer<U, C, Gamma>;
  /// The statistics of all towers are equal after a step.
  static constexpr bool has_equal_statistics = true;

  using base::operator();
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, nn::training_t mode, site at = site::here()) {
    return (*this)(x, mode, nn::in_model, at);
  }
  template <operand X, class K = kernels_here>
  auto operator()(X const& x, nn::training_t mode, nn::in_model_t in_model,
                  site at = site::here()) {
    using result = tensor<typename X::value_type, typename X::extents_type>;
    tower const* const t = tower::current();
    if (t == nullptr || (t->others() == nullptr && t->gather() == nullptr))
      return result(base::operator()(x, mode, in_model, at));
    using vector = tensor<U, dextents<1>>;
    constexpr auto axes = placement::detail::batch_axes<X>{};
    auto const wide = placement::detail::computed_wide(x, at);
    vector const mean = all_reduce(*t, vector(placement::mean(wide, axes)), reduction::mean, at);
    tensor<U, typename X::extents_type> const centered = wide - mean;
    vector const variance =
        all_reduce(*t, vector(placement::mean(square(centered), axes)), reduction::mean, at);
    move_statistics<K>(mean, variance,
                       placement::detail::elements_of_channel(x.shape()) * t->count(), at);
    vector const factor = scaled(rsqrt(variance + static_cast<U>(this->epsilon)));
    return result(
        cast_to<typename X::value_type>(centered * factor + this->beta.run_time_value(), at));
  }

 private:
  template <class E> auto scaled(E const& e) const {
    if constexpr (nn::is_variable<Gamma>) return e * this->gamma.run_time_value();
    else return e;
  }
  template <class T, class E> static auto cast_to(E const& e, site at) {
    if constexpr (std::is_same_v<T, U>) return e;
    else return cast<T>(e, at);
  }
  template <class K>
  void move_statistics(tensor<U, dextents<1>> const& mean, tensor<U, dextents<1>> const& variance,
                       index_t count, site at) {
    using plain = typename placement::detail::without_recording<K>::type;
    no_gradient const pause;
    channel_moments<U> moving{this->moving_mean.run_time_value(),
                              this->moving_variance.run_time_value(), 0};
    update_moving<U, plain>(moving, {mean, variance, count}, this->decay, at);
    this->moving_mean.template assign<tensor<U, dextents<1>> const&, K>(moving.mean, at);
    this->moving_variance.template assign<tensor<U, dextents<1>> const&, K>(moving.variance, at);
  }
};

/// Describes it: `sync_batch_norm{}`, `sync_batch_norm<nn::without_scale>{.decay = 0.9}`.
/// Defaults, parameters and names: as nn::batch_norm.
template <class Scale = nn::with_scale> struct sync_batch_norm {
  double decay = 0.99;
  double epsilon = 1e-3;

  template <element T, class X, class K = kernels_here>
  auto layer(X const& sample, site at = site::here()) const {
    auto made = nn::batch_norm<Scale>{.decay = decay, .epsilon = epsilon}.template layer<T, X, K>(
        sample, at);
    return [&]<class U, index_t C, class Gamma>(nn::batch_norm_layer<U, C, Gamma>& l) {
      return sync_batch_norm_layer<U, C, Gamma>{std::move(l)};
    }(made);
  }
};

}}}  // namespace placement::v0_1::parallel
