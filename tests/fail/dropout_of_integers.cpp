// error: placement: dropout takes floating point. Write cast<float>(x).
#include <placement/nets.hpp>
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  tensor const x{1.f, 2.f};
#else
  tensor const x{1, 2};
#endif
  tensor const y = dropout(x, 0.5);
}
