#include <placement/parallel.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <support/gpus.hpp>
#include <support/log_lines.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace placement;
using Catch::Matchers::ContainsSubstring;
using parallel::mirrored_strategy;
using parallel::tower;

namespace {
int const gpus = gpus_of_test();
int const count = gpus == 0 ? 1 : gpus;

auto make_line() {
  auto line = nn::sequential(extents<1>{}, nn::dense<1>{});
  line.layer<0>().kernel.assign(constant(1.3111215829849243f, extents<1, 1>{}));
  return line;
}
using line_model = decltype(make_line());
}  // namespace

// TensorFlow 2.21 on 4 replicas: w starts at 1.3111215829849243, b at 0; 16 samples of y = 3 x + 1
// in order, global batch 8, 3 epochs, SGD with rate 0.2.
TEST_CASE("The golden run of MirroredStrategy") {
  mirrored_strategy const strategy;
  auto line = [&] {
    auto const in_scope = strategy.scope();
    return strategy.replicate(make_line());
  }();
  REQUIRE(strategy.num_replicas_in_sync() == count);
  with_device const cpu("/cpu:0");
  tensor const x = reshape(iota(shape(16), -1.f, 2.f / 15), shape(16, 1));
  tensor const y = x * 3.f + 1.f;
  nn::sgd sgd(0.2);
  std::vector<double> epoch_losses;
  for (int epoch = 0; epoch != 3; ++epoch) {
    double sum = 0;
    for (int step = 0; step != 2; ++step) {
      tensor const xs = slice(x, range(8 * step, 8 * step + 8));
      tensor const ys = slice(y, range(8 * step, 8 * step + 8));
      auto const losses = line.minimize(sgd, [&](tower const& replica, line_model& m) {
        return tensor<float, extents<>>(mse(m(replica.slice(xs), nn::training), replica.slice(ys)));
      });
      sum += static_cast<double>(item(strategy.reduce(parallel::reduction::mean, losses)));
    }
    epoch_losses.push_back(sum / 2);
  }
  CHECK(std::abs(epoch_losses[0] - 1.9550247) < 1e-6);
  CHECK(std::abs(epoch_losses[1] - 0.6599432) < 1e-6);
  CHECK(std::abs(epoch_losses[2] - 0.2967590) < 1e-6);
  for (int i = 0; i != count; ++i) {
    auto const& layer = line.model_of(i).layer<0>();
    CHECK(std::abs(to_vector(layer.kernel.value())[0] - 2.4477093f) < 1e-6f);
    CHECK(std::abs(to_vector(layer.bias.value())[0] - 1.0410969f) < 1e-6f);
  }
}

TEST_CASE("A variable made outside of the scope is an error that names it") {
  mirrored_strategy const strategy;
  auto const outside = make_line();
  CHECK_THAT(error_message<invalid_argument>([&] { strategy.replicate(outside); }),
             ContainsSubstring("placement: variable 'dense/kernel' was made outside of "
                               "strategy.scope(), so it is not mirrored."));
  mirrored_strategy const other;
  auto const in_other = [&] {
    auto const in_scope = other.scope();
    return make_line();
  }();
  CHECK_THROWS_AS(strategy.replicate(in_other), invalid_argument);
  CHECK_NOTHROW(other.replicate(in_other));
}

TEST_CASE("A strategy logs its devices in TensorFlow's words") {
  log_lines log;
  {
    with_device const logged("", log_placement{}, log_format::tf2);
    mirrored_strategy const strategy;
  }
  std::string devices;
  for (int i = 0; i != count; ++i)
    devices += (i == 0 ? "'/job:localhost/replica:0/task:0/device:"
                       : ", '/job:localhost/replica:0/task:0/device:") +
               (gpus == 0 ? std::string("CPU:0") : "GPU:" + std::to_string(i)) + "'";
  CHECK(log.take_all() == lines_of{"INFO:tensorflow:Using MirroredStrategy with devices (" +
                                   devices + (count == 1 ? ",)" : ")")});
  mirrored_strategy const silent;
  CHECK(log.take_all().empty());
}

TEST_CASE("A mirrored variable is logged on each device in TensorFlow 2's words") {
  mirrored_strategy const strategy;
  tensor<float, extents<2>> const first = zeros<float>(extents<2>{});
  log_lines log;
  {
    with_device const logged("", log_placement{}, log_format::tf2);
    auto const in_scope = strategy.scope();
    auto const replicas = strategy.replicate(nn::variable("w", first));
  }
  std::string const device =
      "/job:localhost/replica:0/task:0/device:" + std::string(gpus == 0 ? "CPU:" : "GPU:");
  lines_of expected;
  for (int i = 0; i != count; ++i) {
    std::string const here = " in device " + device + std::to_string(i);
    if (i != 0)
      for (char const* op : {"ReadVariableOp", "Identity"})
        expected.push_back("Executing op " + std::string(op) + here);
    for (char const* op : {"VarHandleOp", "AssignVariableOp"})
      expected.push_back("Executing op " + std::string(op) + here);
  }
  CHECK(log.take_all() == expected);
}

TEST_CASE("run and reduce") {
  mirrored_strategy const strategy;
  auto const values = strategy.run([](tower const& replica) {
    return tensor<float, extents<>>(constant(static_cast<float>(replica.index() + 1), extents<>{}));
  });
  auto const n = static_cast<float>(count);
  CHECK(item(strategy.reduce(parallel::reduction::sum, values)) == n * (n + 1) / 2);
  CHECK(item(strategy.reduce(parallel::reduction::mean, values)) == (n + 1) / 2);
}
