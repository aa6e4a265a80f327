// error: placement: einsum's extents of one subscript differ. Check the shapes.
#include <placement/ops/einsum.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2, 3>> const a{{1, 2, 3}, {4, 5, 6}};
#ifdef CONTROL
  tensor const c = einsum<"ij,kj->ik">(a, a);
#else
  tensor const c = einsum<"ij,jk->ik">(a, a);
#endif
}
