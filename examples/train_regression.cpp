/// Trains a small network to compute x * x between -1 and 1, and prints its answers with one digit.

#include <placement/nn.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace pl = placement;
namespace nn = pl::nn;

int main() {
  pl::set_seed(1);
  std::vector<float> points(41);
  for (std::size_t i = 0; i != points.size(); ++i) points[i] = static_cast<float>(i) / 20.f - 1.f;
  pl::tensor const x = pl::from(points, pl::shape(41, 1));
  pl::tensor const y = pl::square(x);

  auto net = nn::sequential(pl::extents<1>{}, nn::dense<32>{}, nn::relu, nn::dense<1>{});
  nn::for_each_parameter(net, [](std::string const& name, auto const& v) {
    std::printf("%-14s %s\n", name.c_str(), pl::to_string(v.shape()).c_str());
  });

  nn::adam adam(nn::exponential_decay{.initial = 0.02, .steps = 200, .factor = 0.5});
  auto const loss = [&] { return pl::mean(pl::square(net(x, nn::training) - y)); };
  float last = 0;
  for (int step = 0; step != 600; ++step) last = pl::item(adam.minimize(loss, net));

  std::printf("the loss is below 0.001: %s\n", last < 0.001f ? "yes" : "no");
  auto const answers = net(x).read();
  for (pl::index_t const i : {0, 20, 40})
    std::printf("%4.1f squared is %.1f\n", static_cast<double>(points[static_cast<std::size_t>(i)]),
                std::fabs(static_cast<double>(answers(i, 0))));
}
