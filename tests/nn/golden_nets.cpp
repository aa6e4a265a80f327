// Both conv nets of a tower-training program, against losses, gradients and updates that TensorFlow
// 2.21 computed in float32.
#include <placement/nn.hpp>

#include <catch2/catch_test_macros.hpp>
#include <support/golden_nets.hpp>

using namespace placement;

namespace {

/// Compares one step of training with the golden values.
template <class Net> void check_step(Net net, golden::step const& expected) {
  net = golden::with_sines(std::move(net));
  gradient_tape tape;
  nn::watch(tape, net);
  tensor<float, extents<>> const loss =
      mean(softmax_cross_entropy(net(golden::images(), nn::training), golden::labels()));
  CHECK(golden::is_close(item(loss), expected.loss, 1e-6, 0));
  auto const gradients = nn::gradients_of(tape, loss, net);
  golden::check_gradients(gradients, expected);
  nn::adam(0.001).apply(net, gradients);
  golden::check_variables(net, expected);
}

}  // namespace

TEST_CASE("golden nets.A step of net A has TensorFlow's loss, gradients and variables") {
  auto const net = golden::net_a();
  CHECK(nn::parameter_count(net) == 64038);
  check_step(net, golden::step_of_net_a());
}

TEST_CASE("golden nets.A step of net B has TensorFlow's loss, gradients and variables") {
  auto const net = golden::net_b();
  CHECK(nn::parameter_count(net) == 61878);
  check_step(net, golden::step_of_net_b());
}

TEST_CASE("golden nets.Net B moves its statistics as TensorFlow does") {
  auto net = golden::with_sines(golden::net_b());
  static_cast<void>(net(golden::images(), nn::training));
  golden::check_statistics(net);
}
