// error: placement: a scope ends with its block, so new cannot make one. Write with_device scope("/gpu:1").
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  with_device const scope("/gpu:1");
#else
  auto* const scope = new with_device("/gpu:1");
  delete scope;
#endif
}
