#pragma once
/// Two conv nets of digits: A with biases and dropout, B with batch normalisation.

#include <placement/nn.hpp>

namespace mnist {

namespace pl = placement;
namespace nn = pl::nn;

using image = pl::extents<28, 28, 1>;
inline constexpr pl::conv2d_options same{.padding = pl::same_padding};

/// 64,038 parameters.
inline auto net_a() {
  return nn::sequential(image{}, nn::conv2d<12, 5, 5>{}, nn::relu, nn::max_pool2d{},
                        nn::conv2d<24, 3, 3>{}, nn::relu, nn::max_pool2d{}, nn::flatten,
                        nn::dense<100>{}, nn::dropout(0.75), nn::dense<10>{});
}
/// 61,878 parameters, and 236 moving statistics.
inline auto net_b() {
  nn::initializer const small = nn::init::truncated_normal(0.01);
  nn::batch_norm<nn::without_scale> const norm{.decay = 0.9};
  return nn::sequential(
      image{}, nn::conv2d<6, 5, 5, same, nn::without_bias>{.kernel = small}, norm, nn::relu,
      nn::max_pool2d{}, nn::conv2d<12, 5, 5, same, nn::without_bias>{.kernel = small}, norm,
      nn::relu, nn::max_pool2d{}, nn::flatten, nn::dense<100, nn::without_bias>{.kernel = small},
      norm, nn::relu, nn::dropout(0.5), nn::dense<10>{.kernel = small});
}

using scalar = pl::tensor<float, pl::extents<>>;

/// The loss in training mode.
template <class Net, class X, class Labels>
scalar loss_of(Net& net, X const& images, Labels const& labels) {
  return pl::mean(pl::softmax_cross_entropy(net(images, nn::training), labels));
}
/// The fraction of images that the net classifies correctly, in inference.
template <class Net, class X, class Labels>
scalar accuracy_of(Net const& net, X const& images, Labels const& labels) {
  return pl::mean(pl::cast<float>(pl::argmax(net(images), pl::axis<1>) == labels));
}

}  // namespace mnist
