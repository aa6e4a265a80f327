// Element-wise kernels of double, and its views, fills and assignments.
#include "expressions.hpp"

namespace placement { inline namespace v0_1 { namespace common_kernels {

template <class K = kernels_here> void of_doubles() {
  unary_of_numbers<double>();
  unary_of_floating_point<double>();
  arithmetic<double>();
  comparisons<double>();
  binary<double>([](auto const& a, auto const& b) { return pow(a, b); });
  fused<double>();
  views<double>();
  fills<double>();
}
template void of_doubles<>();

}}}  // namespace placement::v0_1::common_kernels
