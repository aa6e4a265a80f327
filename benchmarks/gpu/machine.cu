// The GPU of this machine, as the library reports it. Ends with 4 and the reason if there is none.
#include <placement/placement.hpp>

#include <cstdio>

using namespace placement;

int main() {
  auto const version = [](int v) { return std::pair(v / 1000, v % 1000 / 10); };
  auto const [runtime_major, runtime_minor] = version(cuda_runtime_version());
  if (!is_available()) {
    std::printf("CUDA runtime %d.%d\n%s\n", runtime_major, runtime_minor, why_no_gpu().c_str());
    return 4;
  }
  auto const [driver_major, driver_minor] = version(cuda_driver_version());
  std::printf("CUDA runtime %d.%d, driver for %d.%d\n", runtime_major, runtime_minor, driver_major,
              driver_minor);
  for (int i = 0; i != device_count(kind::gpu); ++i) {
    hardware const about = properties(device{kind::gpu, i});
    std::printf("GPU %d: %s, compute capability %d.%d, %.1f GiB, %s, %s\n", i, about.name.c_str(),
                about.capability_major, about.capability_minor,
                static_cast<double>(about.memory_bytes) / (1 << 30), about.pci_bus_id.c_str(),
                about.uuid.c_str());
  }
}
