// error: placement: plan_of takes a shape for each tensor of the expression, in the order they are written.
#include <placement/placement.hpp>

using namespace placement;

using product = decltype(matmul(std::declval<matrix<float>>(), std::declval<matrix<float>>()));

int main() {
#ifdef CONTROL
  constexpr auto plan = plan_of<product>(machine{.gpus = 1}, {}, {}, shape(2, 3), shape(3, 4));
#else
  constexpr auto plan = plan_of<product>(machine{.gpus = 1}, {}, {}, shape(2, 3));
#endif
  static_assert(plan.size == 1);
}
