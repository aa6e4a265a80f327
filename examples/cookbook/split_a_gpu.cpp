/// Split one GPU into two logical GPUs, to try a program for several GPUs.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  auto const gpus = pl::list_physical_devices("GPU");
  if (gpus.empty()) return 0;
  pl::set_logical_device_configuration(gpus[0],
                                       {{.memory_limit_mib = 256}, {.memory_limit_mib = 512}});
  for (pl::logical_device const& d : pl::list_logical_devices("GPU"))
    std::cout << d.name() << " is a part of " << d.part_of.name() << std::endl;
}
