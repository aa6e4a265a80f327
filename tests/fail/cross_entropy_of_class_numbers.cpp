// error: placement: softmax_cross_entropy's logits and class numbers differ in their extents. Give one class number for each row of the logits.
#include <placement/nets.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
#ifdef CONTROL
  tensor<int, extents<2>> const labels{0, 2};
#else
  tensor<int, extents<3>> const labels{0, 2, 1};
#endif
  tensor const y = softmax_cross_entropy(x, labels);
}
