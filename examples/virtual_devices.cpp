/// One GPU as two virtual devices, each with its own memory limit. Programs for several GPUs can be
/// tested on one.

#include <placement/placement.hpp>

#include <iostream>

namespace pl = placement;

int main() {
  auto const gpus = pl::list_physical_devices("GPU");
  if (!gpus.empty())
    pl::set_logical_device_configuration(gpus[0],
                                         {{.memory_limit_mib = 256}, {.memory_limit_mib = 512}});

  auto const logical = pl::list_logical_devices("GPU");
  std::cout << gpus.size() << " Physical GPU, " << logical.size() << " Logical GPUs" << std::endl;
  for (pl::logical_device const& d : logical)
    std::cout << to_string(d) << " is part of " << d.part_of.name() << ", "
              << (pl::memory_stats_of(d.id).limit >> 20) << " MiB" << std::endl;

  try {
    if (!gpus.empty()) pl::set_logical_device_configuration(gpus[0], {});
  } catch (pl::invalid_argument const& e) { std::cout << e.what() << std::endl; }
}
