// Adds a GPU to placement-info: 64 MiB, and all copies fail.
#include <support/wrapped_platform.hpp>

#include <placement/device/registry.hpp>
#include <placement/device/simulated.hpp>

namespace {

class failing_copies final : public wrapped_platform {
 public:
  using wrapped_platform::wrapped_platform;
  void copy(placement::queue, placement::endpoint, placement::endpoint, std::size_t) override {
    throw placement::placement_error("faulty GPU: the copy failed");
  }
};

[[maybe_unused]] bool const registered = [] {
  static placement::simulated_platform& inner = *new placement::simulated_platform(
      placement::simulated_gpus{.count = 1, .memory_bytes = 64 << 20});
  placement::register_gpu_platform(*new failing_copies(inner));
  return true;
}();

}  // namespace
