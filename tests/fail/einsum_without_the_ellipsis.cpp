// error: placement: einsum's operands have ... but its result has not. Write it after ->.
#include <placement/ops/einsum.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a = zeros<float>(2, 3), b = zeros<float>(3, 4);
#ifdef CONTROL
  tensor const c = einsum<"...j,jk->...k">(a, b);
#else
  tensor const c = einsum<"...j,jk->k">(a, b);
#endif
}
