// only error: placement: this model is for samples of another shape. Reshape the samples, or make a model for them.
// also: extents<2L?, 3L?>
// also: extents<5L?>
#include <placement/nn/dense.hpp>
#include <placement/nn/sequential.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
#ifdef CONTROL
  auto const net = nn::sequential(extents<3>{}, nn::dense<4>{});
#else
  auto const net = nn::sequential(extents<5>{}, nn::dense<4>{});
#endif
  tensor const y = net(x);
}
