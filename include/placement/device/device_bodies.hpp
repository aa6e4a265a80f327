#pragma once
/// Bodies: devices in words.

#include <placement/device/device.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/device/physical_device.hpp>

namespace placement::inline v0_1 {

template <class Once> std::string to_string(device d) {
  if (!d.said()) return {};
  std::string text = "/";
  text += to_string(d.type);
  text += ':';
  text += d.index == any_index ? std::string("*") : std::to_string(d.index);
  return text;
}

template <class Once> std::string to_string(physical_device p) {
  return "PhysicalDevice(name='" + p.name() + "', device_type='" + std::string(p.device_type()) +
         "')";
}

template <class Once> std::string to_string(std::vector<physical_device> const& list) {
  std::string text = "[";
  for (physical_device p : list) text += (text.size() == 1 ? "" : ", ") + to_string(p);
  return text + "]";
}

template <class Once> std::string to_string(logical_device const& d) {
  return "LogicalDevice(name='" + d.name() + "', device_type='" + std::string(d.device_type()) +
         "')";
}

template <class Once> std::string to_string(std::vector<logical_device> const& list) {
  std::string text = "[";
  for (logical_device const& d : list) text += (text.size() == 1 ? "" : ", ") + to_string(d);
  return text + "]";
}

}  // namespace placement::inline v0_1
