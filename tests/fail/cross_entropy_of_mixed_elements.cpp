// error: placement: labels are probabilities of the logits' element type, or integers. Write cast<T>(labels).
#include <placement/nets.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
  tensor const x{{1.f, 2.f}};
#ifdef CONTROL
  tensor const labels{{1.f, 0.f}};
#else
  tensor const labels{{1., 0.}};
#endif
  tensor const y = softmax_cross_entropy(x, labels);
}
