// error: placement: softmax takes floating point. Write cast<float>(x).
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const a{1.f, 2.f};
  tensor const b = softmax(a);
#else
  tensor const a{1, 2};
  tensor const b = softmax(a);
#endif
}
