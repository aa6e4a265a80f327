// only error: placement: the layers of a residual block keep the shape of a sample. Give the last one as many outputs as the block has inputs.
// also: extents<3L?>
// also: extents<2L?>
#include <placement/nn/dense.hpp>
#include <placement/nn/layers.hpp>
#include <placement/nn/residual.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  auto const net =
      nn::sequential(extents<3>{}, nn::residual(nn::dense<5>{}, nn::relu, nn::dense<3>{}));
#else
  auto const net =
      nn::sequential(extents<3>{}, nn::residual(nn::dense<5>{}, nn::relu, nn::dense<2>{}));
#endif
}
