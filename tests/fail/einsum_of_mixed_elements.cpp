// error: placement: these operands have different element types. Write cast<T>(x) on one of them.
#include <placement/ops/einsum.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a = zeros<float>(2, 3), b = zeros<float>(3, 4);
#ifdef CONTROL
  tensor const c = einsum<"ij,jk->ik">(a, b);
#else
  tensor const c = einsum<"ij,jk->ik">(a, cast<double>(b));
#endif
}
