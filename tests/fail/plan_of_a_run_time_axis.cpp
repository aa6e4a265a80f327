// error: placement: an op of this expression holds an axis, a range or a shape that its type does not tell.
#include <placement/placement.hpp>

using namespace placement;

#ifdef CONTROL
using sums = decltype(sum(std::declval<matrix<float>>(), axis<1>));
#else
using sums = decltype(sum(std::declval<matrix<float>>(), 1));
#endif

int main() {
  constexpr auto plan = plan_of<sums>(machine{.gpus = 1}, {}, {}, shape(2, 3));
  static_assert(plan.node("Sum").result_bytes == 8);
}
