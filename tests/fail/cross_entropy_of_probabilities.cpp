// error: placement: softmax_cross_entropy's logits and probabilities differ in their extents. Give one probability for each logit.
#include <placement/nets.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor<float, extents<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
#ifdef CONTROL
  tensor<float, extents<2, 3>> const labels{{1, 0, 0}, {0, 0, 1}};
#else
  tensor<float, extents<2, 2>> const labels{{1, 0}, {0, 1}};
#endif
  tensor const y = softmax_cross_entropy(x, labels);
}
