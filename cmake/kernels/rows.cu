// Products, reductions and softmax.
#include "expressions.hpp"

namespace placement { inline namespace v0_1 { namespace common_kernels {

template <class K = kernels_here> void of_rows() {
  products<float>();
  products<double>();
  folds_of_numbers<float>();
  folds_of_numbers<double>();
  folds_of_numbers<int>();
  folds_of_numbers<std::int64_t>();
  rows<float>();
  rows<double>();
  make<decltype(all(of<dense<bool, 1>>())), decltype(any(of<dense<bool, 1>>())),
       decltype(count_nonzero(of<dense<bool, 1>>())), decltype(argmin(of<dense<float, 1>>()))>();
}
template void of_rows<>();

}}}  // namespace placement::v0_1::common_kernels
