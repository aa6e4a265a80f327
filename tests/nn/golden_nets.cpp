// Both conv nets of a tower-training program, against losses, gradients and updates that TensorFlow
// 2.21 computed in float32.
#include <placement/nn.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <vector>

using namespace placement;

namespace {

/// A variable's value: scale * sin(0.37 i + number) for element i.
template <class V> void set_to_sines(V& v, int number) {
  double const scale = number == 5 ? 0.05 : 0.1;
  std::vector<float> values(v.size());
  for (std::size_t i = 0; i != values.size(); ++i)
    values[i] = static_cast<float>(scale * std::sin(0.37 * static_cast<double>(i) + number));
  v.assign(from(values, v.shape()));
}
tensor<float, extents<8, 28, 28, 1>> images() {
  std::vector<float> x(8 * 28 * 28);
  for (std::size_t i = 0; i != x.size(); ++i)
    x[i] = static_cast<float>(0.5 + 0.5 * std::sin(0.013 * static_cast<double>(i)));
  return from(x, extents<8, 28, 28, 1>{});
}

struct golden_gradient {
  double sum, l2, first, sum_after_adam;
};
bool is_close(double got, double expected, double relative, double absolute) {
  return std::abs(got - expected) <= relative * std::abs(expected) + absolute;
}
double sum_of(auto const& t) {
  double sum = 0;
  for (float x : t.read()) sum += x;
  return sum;
}

/// Compares one step of training with the golden values.
template <class Net>
void check_step(Net net, double golden_loss, std::vector<golden_gradient> const& golden,
                double tolerance_of_adam) {
  int number = 0;
  nn::for_each_parameter(net, [&](auto const&, auto& v) { set_to_sines(v, ++number); });
  REQUIRE(golden.size() == static_cast<std::size_t>(number));
  tensor<int, dextents<1>> const labels{0, 1, 2, 3, 4, 5, 6, 7};
  gradient_tape tape;
  nn::watch(tape, net);
  tensor<float, extents<>> const loss =
      mean(softmax_cross_entropy(net(images(), nn::training), labels));
  CHECK(is_close(item(loss), golden_loss, 1e-6, 0));
  auto const gradients = nn::gradients_of(tape, loss, net);
  std::size_t i = 0;
  auto const check = [&](auto const& g) {
    INFO("variable " << i + 1);
    auto const h = g.read();
    double squares = 0;
    for (float x : h) squares += static_cast<double>(x) * x;
    double const l2 = std::sqrt(squares);
    CHECK(is_close(l2, golden[i].l2, 2e-5, 0));
    // A sum of both signs is compared with the size of its terms.
    double const terms = l2 * std::sqrt(static_cast<double>(g.size()));
    CHECK(is_close(sum_of(g), golden[i].sum, 1e-4, 1e-5 * terms));
    CHECK(is_close(h[0], golden[i].first, 1e-4, 1e-5 * golden[i].l2));
    ++i;
  };
  std::apply([&](auto const&... g) { (check(g), ...); }, gradients);
  nn::adam(0.001).apply(net, gradients);
  i = 0;
  nn::for_each_parameter(net, [&](auto const&, auto const& v) {
    INFO("variable " << i + 1);
    CHECK(is_close(sum_of(v.value()), golden[i].sum_after_adam, tolerance_of_adam, 2e-5));
    ++i;
  });
}

auto net_a() {
  return nn::sequential(extents<28, 28, 1>{}, nn::conv2d<12, 5, 5>{}, nn::relu, nn::max_pool2d{},
                        nn::conv2d<24, 3, 3>{}, nn::relu, nn::max_pool2d{}, nn::flatten,
                        nn::dense<100>{}, nn::dense<10>{});
}
constexpr conv2d_options same{.padding = same_padding};
auto net_b() {
  nn::batch_norm<nn::without_scale> const norm{.decay = 0.9, .epsilon = 1e-3};
  return nn::sequential(extents<28, 28, 1>{}, nn::conv2d<6, 5, 5, same, nn::without_bias>{}, norm,
                        nn::relu, nn::max_pool2d{}, nn::conv2d<12, 5, 5, same, nn::without_bias>{},
                        norm, nn::relu, nn::max_pool2d{}, nn::flatten,
                        nn::dense<100, nn::without_bias>{}, norm, nn::relu, nn::dense<10>{});
}

}  // namespace

TEST_CASE("golden nets.A step of net A has TensorFlow's loss, gradients and variables") {
  auto const net = net_a();
  CHECK(nn::parameter_count(net) == 64038);
  check_step(net, 2.28420925,
             {{0.002378571, 0.007014669, -0.0005908275, 0.1196894},
              {0.0004166391, 0.001575312, -0.0008710878, -0.336435},
              {0.0001830286, 0.0005600123, 0, -0.5181954},
              {3.417765e-06, 0.0006734433, 0, -0.483006},
              {-0.09096833, 0.1774588, 0, -0.4502984},
              {-0.006025864, 0.1561613, -0.02150287, 0.1338418},
              {0, 0.09494995, 0.0002405515, -0.04526634},
              {0, 0.1462306, -0.01391404, -0.1183324}},
             1e-4);
}

TEST_CASE("golden nets.A step of net B has TensorFlow's loss, gradients and variables") {
  auto const net = net_b();
  CHECK(nn::parameter_count(net) == 61878);
  check_step(net, 2.27934408,
             {{-11.26174, 5.279603, -0.712378, -0.09199957},
              {0.1189636, 0.08477644, 0.07833429, 0.1026439},
              {-4.764768, 1.8648, -0.004043087, 0.09042264},
              {0.02347278, 0.02430964, -0.007396241, -0.1103742},
              {8.343411, 3.40611, -0.01632736, -0.6559676},
              {-0.02453656, 0.1055165, -0.01055566, 0.1358588},
              {0, 2.055105, 0.05384735, -0.3833315},
              {0, 0.1423696, -0.008434407, -0.1183324}},
             3e-4);
}

TEST_CASE("golden nets.Net B moves its statistics as TensorFlow does") {
  auto net = net_b();
  int number = 0;
  nn::for_each_parameter(net, [&](auto const&, auto& v) { set_to_sines(v, ++number); });
  static_cast<void>(net(images(), nn::training));
  std::vector<double> sums;
  std::vector<std::string> names;
  nn::for_each_variable(net, [&](std::string const& name, auto const& v) {
    if (name.find("moving") == std::string::npos) return;
    names.push_back(name);
    sums.push_back(sum_of(v.value()));
  });
  REQUIRE(sums.size() == 6);
  CHECK(names[3] == "batch_normalization_1/moving_variance");
  CHECK(is_close(sums[0], -0.002844741, 1e-4, 1e-7));
  CHECK(is_close(sums[1], 5.400409, 1e-5, 0));
  CHECK(is_close(sums[2], 0.0001396301, 1e-2, 1e-7));
  CHECK(is_close(sums[3], 10.81073, 1e-5, 0));
  CHECK(is_close(sums[4], 0.01212517, 1e-4, 1e-7));
  CHECK(is_close(sums[5], 91.63037, 1e-5, 0));
}
