#pragma once
/// The facts about a machine that placement needs, as a value. A plan can be computed for any
/// machine.

#include <placement/device/device.hpp>

namespace placement { inline namespace v0_1 {

/// The number of logical devices: `machine{.gpus = 2}`. A cluster: `machine{.gpus = 2, .tasks =
/// 4}`.
struct machine {
  int cpus = 1;
  int gpus = 0;
  bool real = false;  ///< the GPUs are hardware: they run only compiled GPU kernels
  int tasks = 1;      ///< the processes of the program, each with these devices

  friend constexpr bool operator==(machine, machine) = default;

  /// Whether the device exists here. An open index asks for any device of the kind.
  constexpr bool has(device d) const noexcept {
    int const count = d.is_cpu() ? cpus : d.is_gpu() ? gpus : 0;
    return d.index == any_index ? count > 0 : d.index >= 0 && d.index < count;
  }
};

}}  // namespace placement::v0_1
