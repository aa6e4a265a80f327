// A convolutional net with batch normalisation and dropout that is restarted from a checkpoint.
#include <placement/nn.hpp>

#include <nn/checkpoint_run.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace placement;
using namespace checkpoints;

namespace {

/// Net B of examples/mnist_conv for 4 x 4 images.
auto small_net_b() {
  constexpr conv2d_options same{.padding = same_padding};
  nn::batch_norm<nn::without_scale> const norm{.decay = 0.9};
  return nn::sequential(extents<4, 4, 1>{}, nn::conv2d<2, 3, 3, same, nn::without_bias>{}, norm,
                        nn::relu, nn::max_pool2d{}, nn::flatten, nn::dense<5, nn::without_bias>{},
                        norm, nn::relu, nn::dropout(0.5), nn::dense<3>{});
}

}  // namespace

TEST_CASE("checkpoint.A small net B with batch normalisation continues bit for bit") {
  check_restart(small_net_b, nn::adam(nn::cosine_decay{0.01, 120}));
  check_restart(small_net_b, nn::sgd({.rate = 0.05, .momentum = 0.9}));
}
