// error: placement: a constant model is called in training, which may change its layers. Make it not const, or call it without nn::training.
#include <placement/nn/dense.hpp>
#include <placement/nn/sequential.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  auto const net = nn::sequential(shape(3), nn::dense<10>{});
#ifdef CONTROL
  auto const y = net(ones<float>(2, 3));
#else
  auto const y = net(ones<float>(2, 3), nn::training);
#endif
  return static_cast<int>(y.size());
}
