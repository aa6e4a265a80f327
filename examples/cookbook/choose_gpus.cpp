/// Leave the first GPU to others. The next one is GPU:0 then.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  auto gpus = pl::list_physical_devices("GPU");
  if (!gpus.empty()) gpus.erase(gpus.begin());
  pl::set_visible_devices(gpus, "GPU");
  std::cout << pl::device_mapping() << std::endl;
}
