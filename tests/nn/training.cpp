// Small models that are trained until they reach a loss.
#include <placement/nn.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace placement;

namespace {

/// Points of two interleaved rings, and their class.
struct points {
  tensor<float, dextents<2>> x;
  tensor<float, dextents<2>> y;
};
points rings(int n) {
  std::vector<float> x, y;
  for (int i = 0; i != n; ++i) {
    double const turn = 0.37 * i, radius = i % 2 == 0 ? 0.5 : 1.5;
    x.push_back(static_cast<float>(radius * std::cos(turn)));
    x.push_back(static_cast<float>(radius * std::sin(turn)));
    y.push_back(i % 2 == 0 ? 0.f : 1.f);
  }
  return {from(x, shape(n, 2)), from(y, shape(n, 1))};
}
auto perceptron() {
  set_seed(5);
  return nn::sequential(extents<2>{}, nn::dense<16>{}, nn::relu, nn::dense<1>{});
}
template <class Net, class Optimizer>
float loss_after(int steps, Net& net, Optimizer& optimizer, points const& p) {
  float last = 0;
  for (int i = 0; i != steps; ++i)
    last =
        item(optimizer.minimize([&] { return mean(square(net(p.x, nn::training) - p.y)); }, net));
  return last;
}

}  // namespace

TEST_CASE("training.A perceptron learns two rings") {
  points const p = rings(100);
  auto net = perceptron();
  nn::adam adam(0.02);
  float const first = loss_after(1, net, adam, p);
  CHECK(first > 0.2f);
  CHECK(loss_after(200, net, adam, p) < 0.02f);
  CHECK(adam.step() == 201);
}

TEST_CASE("training.A model on a GPU is trained there, to the same loss") {
  points const p = rings(20);
  auto net = perceptron();
  auto far = nn::to("/gpu:1", net);
  nn::sgd here({.rate = 0.1, .momentum = 0.9}), there({.rate = 0.1, .momentum = 0.9});
  float const near_loss = loss_after(10, net, here, p);
  with_device const gpu("/gpu:1");
  CHECK(std::fabs(loss_after(10, far, there, p) - near_loss) < 1e-4f);
  nn::for_each_parameter(
      far, [](std::string const&, auto const& v) { CHECK(v.where() == device{kind::gpu, 1}); });
}

TEST_CASE("training.Gradients by MirroredStrategy's example are TensorFlow's") {
  // y = 3x + 1, 16 samples in order, batches of 8, 3 epochs, rate 0.2, mean squared error.
  std::vector<float> x, y;
  for (int i = 0; i != 16; ++i) {
    x.push_back(-1.f + 2.f * static_cast<float>(i) / 15.f);
    y.push_back(3.f * x.back() + 1.f);
  }
  auto net =
      nn::sequential(extents<1>{}, nn::dense<1>{.kernel = nn::init::constant(1.3111215829849243)});
  tensor const all_x = from(x, shape(16, 1)), all_y = from(y, shape(16, 1));
  nn::sgd sgd(0.2);
  double const expected[]{1.9550247, 0.6599432, 0.2967590};
  for (double const epoch : expected) {
    double total = 0;
    for (index_t b = 0; b != 16; b += 8) {
      tensor const bx = slice(all_x, range(b, b + 8)), by = slice(all_y, range(b, b + 8));
      total +=
          static_cast<double>(item(sgd.minimize([&] { return mean(square(net(bx) - by)); }, net)));
    }
    CHECK(std::fabs(total / 2 - epoch) < 2e-6);
  }
  CHECK(std::fabs(to_vector(net.layer<0>().kernel.value())[0] - 2.4477093f) < 2e-6f);
  CHECK(std::fabs(to_vector(net.layer<0>().bias.value())[0] - 1.0410969f) < 2e-6f);
}

TEST_CASE("training.A step with dropout and clipped gradients lowers the loss") {
  points const p = rings(40);
  set_seed(9);
  auto net =
      nn::sequential(extents<2>{}, nn::dense<16>{}, nn::relu, nn::dropout(0.1), nn::dense<1>{});
  nn::adam adam(0.02);
  auto const loss = [&] { return item(tensor<float, extents<>>(mean(square(net(p.x) - p.y)))); };
  float const before = loss();
  for (int i = 0; i != 50; ++i) {
    gradient_tape tape;
    nn::watch(tape, net);
    tensor const l = mean(square(net(p.x, nn::training) - p.y));
    auto const gradients = nn::gradients_of(tape, l, net);
    auto const clipped = nn::clip_by_global_norm(gradients, 0.5);
    CHECK(item(nn::global_norm(clipped)) <= 0.5001f);
    adam.apply(net, clipped);
  }
  CHECK(loss() < before / 2);
}
