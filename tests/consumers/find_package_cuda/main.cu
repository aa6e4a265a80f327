// The program of every consumer, with output about GPUs and a kernel on the first.
#include <placement/placement.hpp>

#include <cstdio>

int main() {
  std::printf("built with CUDA %d, %d GPUs. %s\n", placement::cuda_runtime_version() / 1000,
              placement::device_count(), placement::why_no_gpu().c_str());
  if (placement::is_available()) {
    placement::matrix<float> const x{{1.f, -2.f}, {3.f, 4.f}}, y = placement::relu(x * 2.f + 1.f);
    std::printf("%s on %s\n", to_string(y).c_str(), to_string(y.where()).c_str());
  }
  std::printf("consumer of placement %d.%d.%d\n", PLACEMENT_VERSION_MAJOR, PLACEMENT_VERSION_MINOR,
              PLACEMENT_VERSION_PATCH);
}
