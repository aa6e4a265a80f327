// The program of every consumer, with output about GPUs.
#include <placement/placement.hpp>

#include <cstdio>

int main() {
  std::printf("built with CUDA %d, %d GPUs. %s\n", placement::cuda_runtime_version() / 1000,
              placement::device_count(), placement::why_no_gpu().c_str());
  std::printf("consumer of placement %d.%d.%d\n", PLACEMENT_VERSION_MAJOR, PLACEMENT_VERSION_MINOR,
              PLACEMENT_VERSION_PATCH);
}
