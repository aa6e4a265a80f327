// usage: bench_gpu_nets [PART OF A ROW'S NAME]
// Convolutions, and training steps of the two nets of examples/mnist_conv, on a GPU.
#include "../../examples/mnist_conv/nets.hpp"
#include "measure.hpp"

#include <placement/nets.hpp>
#include <placement/ops/arange.hpp>

namespace {

using namespace bench;
namespace nn = pl::nn;

/// Layers of ResNet-50 with filters of 3 by 3, batches of 128 images.
template <class K = pl::kernels_here> void convolutions() {
  if (!is_wanted("conv2d")) return;
  constexpr pl::index_t batch = 128;
  for (auto const& [side, channels] :
       {std::pair<pl::index_t, pl::index_t>{56, 64}, {28, 128}, {14, 256}, {7, 512}}) {
    std::string const size = " f32 " + std::to_string(side) + "x" + std::to_string(side) + "x" +
                             std::to_string(channels);
    auto x = random_sets<float>(pl::shape(batch, side, side, channels));
    auto y = random_sets<float>(pl::shape(batch, side, side, channels));
    auto w = random_sets<float>(pl::shape(3, 3, channels, channels));
    double const flops = 18.0 * static_cast<double>(batch * side * side * channels * channels);
    compare("conv2d" + size, {0, flops}, {{"placement", [&](int r) {
                                             of_round(y, r) = pl::conv2d(
                                                 of_round(x, r), of_round(w, r), mnist::same);
                                           }}});
    compare("conv2d input gradient" + size, {0, flops},
            {{"placement", [&](int r) {
                of_round(x, r) = pl::conv2d_input_gradient(of_round(w, r), of_round(y, r),
                                                           x.front().shape(), mnist::same);
              }}});
    compare("conv2d filter gradient" + size, {0, flops},
            {{"placement", [&](int r) {
                of_round(w, r) = pl::conv2d_filter_gradient(of_round(x, r), of_round(y, r),
                                                            w.front().shape(), mnist::same);
              }}});
  }
}

template <class Net> void steps(std::string const& row, Net const& on_host) {
  if (!is_wanted(row)) return;
  constexpr pl::index_t batch = 1000;
  pl::with_device const scope(pl::gpu0);
  Net net = nn::to(pl::gpu0, on_host);
  auto adam = nn::adam(0.001);
  pl::tensor<float, pl::extents<pl::dyn, 28, 28, 1>> const x =
      pl::uniform<float>(pl::extents<pl::dyn, 28, 28, 1>{{batch, 28, 28, 1}});
  vector<int> const labels = pl::arange<int>(static_cast<int>(batch)) % 10;
  compare_on_host(row, 4, until::done, {{"placement", [&](int) {
                                           adam.minimize(
                                               [&] { return mnist::loss_of(net, x, labels); }, net);
                                         }}});
}

}  // namespace

int main(int argc, char** argv) {
  if (int const none = start(argc, argv); none != 0) return none;
  measure([] { steps("step of net A, 1000 images", mnist::net_a()); });
  measure([] { steps("step of net B, 1000 images", mnist::net_b()); });
  measure([] { convolutions(); });
}
