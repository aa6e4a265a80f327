#pragma once
/// Simulated GPUs that report that they are hardware. A kernel runs on them only if a file can
/// launch it, which a file compiled by a C++ compiler cannot. Work runs inline, so that kernels
/// which the host runs stay in order.

#include <support/wrapped_platform.hpp>

#include <placement/device/registry.hpp>
#include <placement/device/simulated.hpp>

#include <cstddef>

class hardware_platform final : public wrapped_platform {
 public:
  explicit hardware_platform(int count)
      : wrapped_platform(*new placement::simulated_platform(
            {.count = count, .run_inline_below = ~std::size_t{0}})) {}

  bool simulated() const noexcept override { return false; }
  placement::hardware describe(int ordinal) override {
    placement::hardware about = wrapped_platform::describe(ordinal);
    about.name = "Some GPU";
    return about;
  }
};

/// Registers `count` such GPUs for the rest of the process. Call it before anything else.
inline void use_hardware_gpus(int count) {
  placement::register_gpu_platform(*new hardware_platform(count));
}
