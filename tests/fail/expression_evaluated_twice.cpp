// error: placement: each use of this variable computes its expression again, with a product, a reduction or a custom op. Make it a tensor, or write std::move at its only use.
#define PLACEMENT_EXPRESSIONS_USED_ONCE
#include <placement/placement.hpp>

namespace pl = placement;

void multiply(pl::tensor<float, pl::dextents<2>> const& a) {
  auto product = pl::matmul(a, a) * 2.f;
  pl::tensor x = product;
}
