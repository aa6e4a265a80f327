#pragma once
/// Both conv nets of a tower-training program, and the losses, gradients and updates that
/// TensorFlow 2.21 computed for them in float32.

#include <placement/nn.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace placement::golden {

/// A variable's value: scale * sin(0.37 i + number) for element i.
template <class V> void set_to_sines(V& v, int number) {
  double const scale = number == 5 ? 0.05 : 0.1;
  std::vector<float> values(v.size());
  for (std::size_t i = 0; i != values.size(); ++i)
    values[i] = static_cast<float>(scale * std::sin(0.37 * static_cast<double>(i) + number));
  v.assign(from(values, v.shape()));
}
template <class Net> Net with_sines(Net net) {
  int number = 0;
  nn::for_each_parameter(net, [&](auto const&, auto& v) { set_to_sines(v, ++number); });
  return net;
}
inline tensor<float, extents<8, 28, 28, 1>> images() {
  std::vector<float> x(8 * 28 * 28);
  for (std::size_t i = 0; i != x.size(); ++i)
    x[i] = static_cast<float>(0.5 + 0.5 * std::sin(0.013 * static_cast<double>(i)));
  return from(x, extents<8, 28, 28, 1>{});
}
inline tensor<int, dextents<1>> labels() { return {0, 1, 2, 3, 4, 5, 6, 7}; }

inline auto net_a() {
  return nn::sequential(extents<28, 28, 1>{}, nn::conv2d<12, 5, 5>{}, nn::relu, nn::max_pool2d{},
                        nn::conv2d<24, 3, 3>{}, nn::relu, nn::max_pool2d{}, nn::flatten,
                        nn::dense<100>{}, nn::dense<10>{});
}
inline constexpr conv2d_options same{.padding = same_padding};
/// With batch normalisation by this layer.
template <class Norm = nn::batch_norm<nn::without_scale>>
auto net_b(Norm const& norm = {.decay = 0.9, .epsilon = 1e-3}) {
  return nn::sequential(extents<28, 28, 1>{}, nn::conv2d<6, 5, 5, same, nn::without_bias>{}, norm,
                        nn::relu, nn::max_pool2d{}, nn::conv2d<12, 5, 5, same, nn::without_bias>{},
                        norm, nn::relu, nn::max_pool2d{}, nn::flatten,
                        nn::dense<100, nn::without_bias>{}, norm, nn::relu, nn::dense<10>{});
}

struct gradient {
  double sum, l2, first, sum_after_adam;
};
struct step {
  double loss;
  std::vector<gradient> gradients;
  double tolerance_of_adam;
};
inline step step_of_net_a() {
  return {2.28420925,
          {{0.002378571, 0.007014669, -0.0005908275, 0.1196894},
           {0.0004166391, 0.001575312, -0.0008710878, -0.336435},
           {0.0001830286, 0.0005600123, 0, -0.5181954},
           {3.417765e-06, 0.0006734433, 0, -0.483006},
           {-0.09096833, 0.1774588, 0, -0.4502984},
           {-0.006025864, 0.1561613, -0.02150287, 0.1338418},
           {0, 0.09494995, 0.0002405515, -0.04526634},
           {0, 0.1462306, -0.01391404, -0.1183324}},
          1e-4};
}
inline step step_of_net_b() {
  return {2.27934408,
          {{-11.26174, 5.279603, -0.712378, -0.09199957},
           {0.1189636, 0.08477644, 0.07833429, 0.1026439},
           {-4.764768, 1.8648, -0.004043087, 0.09042264},
           {0.02347278, 0.02430964, -0.007396241, -0.1103742},
           {8.343411, 3.40611, -0.01632736, -0.6559676},
           {-0.02453656, 0.1055165, -0.01055566, 0.1358588},
           {0, 2.055105, 0.05384735, -0.3833315},
           {0, 0.1423696, -0.008434407, -0.1183324}},
          3e-4};
}

inline bool is_close(double got, double expected, double relative, double absolute) {
  return std::abs(got - expected) <= relative * std::abs(expected) + absolute;
}
double sum_of(auto const& t) {
  double sum = 0;
  for (float x : t.read()) sum += x;
  return sum;
}

/// Compares a tuple of gradients, in the order of the variables.
template <class Gradients> void check_gradients(Gradients const& gradients, step const& golden) {
  REQUIRE(golden.gradients.size() == std::tuple_size_v<Gradients>);
  std::size_t i = 0;
  auto const check = [&](auto const& g) {
    INFO("variable " << i + 1);
    gradient const& expected = golden.gradients[i++];
    auto const h = g.read();
    double squares = 0;
    for (float x : h) squares += static_cast<double>(x) * x;
    double const l2 = std::sqrt(squares);
    CHECK(is_close(l2, expected.l2, 2e-5, 0));
    // A sum of both signs is compared with the size of its terms.
    double const terms = l2 * std::sqrt(static_cast<double>(g.size()));
    CHECK(is_close(sum_of(g), expected.sum, 1e-4, 1e-5 * terms));
    CHECK(is_close(h[0], expected.first, 1e-4, 1e-5 * expected.l2));
  };
  std::apply([&](auto const&... g) { (check(g), ...); }, gradients);
}
/// Compares the variables after a step of Adam with a rate of 0.001.
template <class Net> void check_variables(Net const& net, step const& golden) {
  std::size_t i = 0;
  nn::for_each_parameter(net, [&](auto const&, auto const& v) {
    INFO("variable " << i + 1);
    double const expected = golden.gradients[i++].sum_after_adam;
    CHECK(is_close(sum_of(v.value()), expected, golden.tolerance_of_adam, 2e-5));
  });
}
/// Compares the moving statistics of net B after one pass in training.
template <class Net> void check_statistics(Net const& net) {
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

}  // namespace placement::golden
