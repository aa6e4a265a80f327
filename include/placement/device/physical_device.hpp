#pragma once
/// A physical device: a device that this process may see, before any configuration.

#include <placement/device/device.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

/// A CPU or GPU of the machine. GPUs are numbered from 0 among those that CUDA_VISIBLE_DEVICES
/// leaves.
struct physical_device {
  device id;

  friend constexpr bool operator==(physical_device, physical_device) = default;

  /// "/physical_device:GPU:0"
  std::string name() const {
    return "/physical_device:" + std::string(device_type()) + ":" + std::to_string(id.index);
  }
  /// "CPU" or "GPU"
  constexpr std::string_view device_type() const noexcept { return to_string(id.type); }
};

/// `PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')`
std::string to_string(physical_device p);

/// A list as Python prints it: `[PhysicalDevice(...), PhysicalDevice(...)]`.
std::string to_string(std::vector<physical_device> const& list);

}}  // namespace placement::v0_1
