// only error: placement: an array is no number. Write placement::exp(x), not std::exp(x), or item(sum(x)). Include placement/ops/bitwise.hpp for &, |, ^, ~, << and >>.
#ifdef CONTROL
#  include <placement/ops/bitwise.hpp>
#endif
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const n{1, 2, 3};
  auto const odd = n & 1;
  static_cast<void>(odd);
}
