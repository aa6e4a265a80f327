// only error: placement: an array is no number. Write placement::exp(x), not std::exp(x), or item(sum(x)). Include placement/ops/bitwise.hpp for &, |, ^, ~, << and >>.
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  tensor const b = exp(a);
#else
  tensor const a{{1.f, 2.f}, {3.f, 4.f}};
  auto const b = std::exp(a);
  static_cast<void>(b);
#endif
}
