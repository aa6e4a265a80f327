// error: placement: einsum's result has a subscript that no operand has. Check what is after ->.
#include <placement/ops/einsum.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a = zeros<float>(2, 3), b = zeros<float>(3, 4);
#ifdef CONTROL
  tensor const c = einsum<"ij,jk->ik">(a, b);
#else
  tensor const c = einsum<"ij,jk->il">(a, b);
#endif
}
