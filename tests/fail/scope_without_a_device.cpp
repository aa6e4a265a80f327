// error: placement: a scope needs a device and a name of its own. Write with_device scope("/gpu:1").
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  with_device const scope("");
#else
  with_device scope;
#endif
}
