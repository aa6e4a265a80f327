#pragma once
/// A logical device: a device that the program can name, with everything that its use needs.

#include <placement/device/device.hpp>
#include <placement/device/physical_device.hpp>
#include <placement/device/platform.hpp>
#include <placement/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

/// The steps in which memory grows on demand: start, start * factor, start * factor^2, ...
struct growth_steps {
  std::size_t start_bytes = std::size_t{2} << 20;
  double factor = 2;

  friend constexpr bool operator==(growth_steps, growth_steps) = default;
};

/// A visible device, or one part of a split one.
struct logical_device {
  device id;
  platform* owner = nullptr;
  int ordinal = 0;               ///< The device's number in its platform.
  physical_device part_of;       ///< The physical device, whole or split.
  std::size_t memory_limit = 0;  ///< Bytes; 0 = no limit.
  double fraction = 0;           ///< Of the device's memory; 0 = none.
  bool growth = true;            ///< Memory grows on demand; else all of its limit at first use.
  growth_steps steps = {};       ///< Under growth.
  bool stream_ordered = false;   ///< Each block comes from the platform's allocator.
  queue work = {};               ///< For all its kernels and copies.

  /// "/device:GPU:0", a name for with_device
  std::string name() const try {
    return "/device:" + std::string(device_type()) + ":" + std::to_string(id.index);
  } catch (...) { detail::rethrow_as_error(); }
  /// "/job:localhost/replica:0/task:0/device:GPU:0"
  std::string full_name() const try {
    return "/job:localhost/replica:0/task:0" + name();
  } catch (...) { detail::rethrow_as_error(); }
  /// "CPU" or "GPU"
  constexpr std::string_view device_type() const noexcept { return to_string(id.type); }
};

/// `LogicalDevice(name='/device:GPU:0', device_type='GPU')`
std::string to_string(logical_device const& d);

/// A list as Python prints it: `[LogicalDevice(...), LogicalDevice(...)]`.
std::string to_string(std::vector<logical_device> const& list);

}}  // namespace placement::v0_1
