// error: placement: this literal is not a device name. Write one such as
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  tensor const a = on("/gpu:0"_dev, tensor{1.f, 2.f});
#else
  tensor const a = on("/gpu:x"_dev, tensor{1.f, 2.f});
#endif
}
