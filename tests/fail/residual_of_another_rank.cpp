// only error: placement: the layers of a residual block keep the shape of a sample. Give the last one as many outputs as the block has inputs.
// also: extents<2L?, 3L?>
// also: extents<6L?>
#include <placement/nn/dense.hpp>
#include <placement/nn/layers.hpp>
#include <placement/nn/residual.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  auto const net =
      nn::sequential(extents<2, 3>{}, nn::flatten, nn::residual(nn::dense<6>{}, nn::relu));
#else
  auto const net = nn::sequential(extents<2, 3>{}, nn::residual(nn::flatten, nn::dense<6>{}));
#endif
}
