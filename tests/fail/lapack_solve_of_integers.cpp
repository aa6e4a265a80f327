// error: placement: LAPACK computes with float, double and complex numbers. Write cast<double>(x).
#include <placement/lapack.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const a{{1, 2}, {3, 4}};
#ifdef CONTROL
  tensor const x = solve(cast<double>(a), cast<double>(a));
#else
  tensor const x = solve(a, a);
#endif
}
