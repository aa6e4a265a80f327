// error: placement: each use of this variable computes its expression again, with a product, a reduction or a custom op. Make it a tensor, or write std::move at its only use.
#define PLACEMENT_EXPRESSIONS_USED_ONCE
#include <placement/placement.hpp>

namespace pl = placement;

void centre(pl::tensor<float, pl::dextents<2>>& x) {
  auto m = pl::mean(x, pl::keep_dim(0));
  pl::tensor y = x + m;
  x = y - m;
}
