// error: placement: sequential takes the shape of one sample before the layers. Write sequential(extents<28, 28>{}, flatten, dense<10>{}).
#include <placement/nn/dense.hpp>
#include <placement/nn/layers.hpp>
#include <placement/nn/parameters.hpp>
#include <placement/nn/sequential.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  auto const net = nn::sequential(shape(28, 28), nn::flatten, nn::dense<10>{});
#else
  auto const net = nn::sequential(nn::flatten, nn::dense<10>{});
#endif
  return static_cast<int>(nn::parameter_count(net));
}
