// error: placement: a scope cannot be copied. Write another one: with_device scope("/gpu:1").
#include <placement/placement.hpp>

using namespace placement;

int main() {
#ifdef CONTROL
  with_device scope("/gpu:1");
  with_device const copy("/gpu:1");
#else
  with_device scope("/gpu:1");
  with_device const copy = scope;
#endif
}
