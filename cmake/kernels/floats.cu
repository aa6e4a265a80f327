// Element-wise kernels of float, and its views, fills and assignments.
#include "expressions.hpp"

namespace placement { inline namespace v0_1 { namespace common_kernels {

template <class K = kernels_here> void of_floats() {
  unary_of_numbers<float>();
  unary_of_floating_point<float>();
  arithmetic<float>();
  comparisons<float>();
  binary<float>([](auto const& a, auto const& b) { return pow(a, b); });
  fused<float>();
  views<float>();
  fills<float>();
}
template void of_floats<>();

}}}  // namespace placement::v0_1::common_kernels
