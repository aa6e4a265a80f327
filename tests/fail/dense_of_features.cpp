// only error: placement: this dense layer takes another number of features. Give samples of the size for which the layer was made.
// also: extents<2L?, 3L?>
// also: (features_fit<|In ?= ?)5
#include <placement/nn/dense.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
#ifdef CONTROL
  auto const layer = nn::dense<4>{}.layer<float>(extents<3>{});
#else
  auto const layer = nn::dense<4>{}.layer<float>(extents<5>{});
#endif
  tensor const y = layer(x);
}
