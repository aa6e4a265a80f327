// error: placement: einsum reads letters, ..., commas and one arrow. Write "ij,jk->ik".
#include <placement/ops/einsum.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a = zeros<float>(2, 3), b = zeros<float>(3, 4);
#ifdef CONTROL
  tensor const c = einsum<"ij,jk->ik">(a, b);
#else
  tensor const c = einsum<"ij,jk=>ik">(a, b);
#endif
}
