// error: placement: a null pointer is no device name. Write with_device scope("/gpu:1").
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  with_device const scope("/gpu:1");
#else
  with_device const scope(nullptr);
#endif
}
