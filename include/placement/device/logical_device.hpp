#pragma once
/// A device the program can name, with all that its use needs.

#include <placement/device/device.hpp>
#include <placement/device/physical_device.hpp>
#include <placement/device/platform.hpp>
#include <placement/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace placement::inline v0_1 {

/// The steps in which memory is taken on need: start, start * factor, start * factor^2, ...
struct growth_steps {
  std::size_t start_bytes = std::size_t{2} << 20;
  double factor = 2;

  friend constexpr bool operator==(growth_steps, growth_steps) = default;
};

/// A visible device or, where one is split, a part of it.
struct logical_device {
  device id;
  platform* owner = nullptr;
  int ordinal = 0;               ///< the device's number in its platform
  physical_device part_of;       ///< the device it is, or is a part of
  std::size_t memory_limit = 0;  ///< bytes; 0 = none set
  double fraction = 0;           ///< of the device's memory; 0 = not set
  bool growth = true;            ///< takes memory on need, not all of its limit at first use
  growth_steps steps = {};       ///< under growth
  bool stream_ordered = false;   ///< memory comes from the platform's own allocator, block by block
  queue work = {};               ///< all its kernels and copies

  /// "/device:GPU:0", which with_device takes
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
template <class Once = void> std::string to_string(logical_device const& d);

/// All of a list, as Python prints one: `[LogicalDevice(...), LogicalDevice(...)]`.
template <class Once = void> std::string to_string(std::vector<logical_device> const& list);

}  // namespace placement::inline v0_1
