// error: placement: a dense layer takes samples that are vectors. Put flatten before it.
// also: extents<2L?, 3L?>
#include <placement/nn/dense.hpp>
#include <placement/nn/layers.hpp>
#include <placement/nn/sequential.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  auto const net = nn::sequential(extents<2, 3>{}, nn::flatten, nn::dense<4>{});
#else
  auto const net = nn::sequential(extents<2, 3>{}, nn::dense<4>{});
#endif
}
