#pragma once
/// Definitions of device.hpp, physical_device.hpp and logical_device.hpp: devices as text.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/device/names.hpp>
#include <placement/device/physical_device.hpp>
#include <placement/src/device/task_table.ipp>

namespace placement { inline namespace v0_1 {

PLACEMENT_INLINE std::string to_string(device d) try {
  if (d.task >= 0) {
    device_name name = detail::name_of_task_here(d.task);
    if (d.has_value()) name.type = to_string(d.type);
    name.index = d.index;
    return to_string(name);
  }
  if (!d.has_value()) return {};
  std::string text = "/";
  text += to_string(d.type);
  text += ':';
  text += d.index == any_index ? std::string("*") : std::to_string(d.index);
  return text;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::string to_string(physical_device p) try {
  return "PhysicalDevice(name='" + p.name() + "', device_type='" + std::string(p.device_type()) +
         "')";
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::string to_string(std::vector<physical_device> const& list) try {
  std::string text = "[";
  for (physical_device p : list) text += (text.size() == 1 ? "" : ", ") + to_string(p);
  return text + "]";
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::string to_string(logical_device const& d) try {
  return "LogicalDevice(name='" + d.name() + "', device_type='" + std::string(d.device_type()) +
         "')";
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::string to_string(std::vector<logical_device> const& list) try {
  std::string text = "[";
  for (logical_device const& d : list) text += (text.size() == 1 ? "" : ", ") + to_string(d);
  return text + "]";
} catch (...) { detail::rethrow_as_error(); }

}}  // namespace placement::v0_1
