// error: placement: a device literal names a CPU or GPU of this process. Leave job,
#include <placement/placement.hpp>

using namespace placement;
using namespace placement::literals;

int main() {
#ifdef CONTROL
  tensor const a = on("/job:localhost/gpu:0"_dev, tensor{1.f, 2.f});
#else
  tensor const a = on("/job:worker/gpu:0"_dev, tensor{1.f, 2.f});
#endif
}
