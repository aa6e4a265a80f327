// error: placement: a tensor that holds its elements itself has no views. Write tensor<T, X> x = t, or assign to it.
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<3>, dev<kind::cpu, 0>> const zero{};
#ifdef CONTROL
  tensor<float, extents<3>> a = zero;
#else
  tensor<float, extents<3>, dev<kind::cpu, 0>> a = zero;
#endif
  slice(view(a), range(0, 2)) = 1.f;
}
