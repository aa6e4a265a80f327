#pragma once
/// What placement needs to know of the machine, as a value: a plan can be made for any machine.

#include <placement/device/device.hpp>

namespace placement::inline v0_1 {

/// How many logical devices there are: `machine{.gpus = 2}`.
struct machine {
  int cpus = 1;
  int gpus = 0;
  bool real = false;  ///< the GPUs are hardware: a kernel runs there only if this file launches it

  friend constexpr bool operator==(machine, machine) = default;

  /// Whether the device can be named here. An open index asks for any device of the kind.
  constexpr bool has(device d) const noexcept {
    int const count = d.is_cpu() ? cpus : d.is_gpu() ? gpus : 0;
    return d.index == any_index ? count > 0 : d.index >= 0 && d.index < count;
  }
};

}  // namespace placement::inline v0_1
