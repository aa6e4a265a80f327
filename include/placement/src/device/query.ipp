#pragma once
/// Definitions of query.hpp.

#include <placement/config.hpp>
#include <placement/device/configuration_rules.hpp>
#include <placement/device/device.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/device/query.hpp>
#include <placement/src/device/registry.ipp>

#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

PLACEMENT_INLINE std::string to_string(compute_capability c) {
  return std::to_string(c.first) + "." + std::to_string(c.second);
}

PLACEMENT_INLINE std::vector<physical_device> list_physical_devices(std::string_view type) try {
  detail::registry& r = detail::registry_of_process();
  lock_guard guard(r.guard);
  return detail::of_type(detail::physical_devices(r), type);
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::vector<logical_device> list_logical_devices(std::string_view type) try {
  detail::device_lists const& lists = detail::fixed();
  std::vector<logical_device> all = lists.cpus;
  all.insert(all.end(), lists.gpus.begin(), lists.gpus.end());
  return detail::of_type(all, type);
} catch (...) { detail::rethrow_as_error(); }

namespace detail {

inline logical_device found_now(device d) {
  device_lists const lists = devices_now();
  logical_device const* const found = lists.find(d);
  if (found == nullptr) throw_unknown_device(d, lists);
  return *found;
}

/// One line of TensorFlow 2's device mapping.
inline std::string mapping_line(int index, int machine_index, hardware const& about) {
  compute_capability const capability{about.capability_major, about.capability_minor};
  return "/job:localhost/replica:0/task:0/device:GPU:" + std::to_string(index) +
         " -> device: " + std::to_string(machine_index) + ", name: " + about.name +
         ", pci bus id: " + about.pci_bus_id + ", compute capability: " + to_string(capability);
}

/// One line of TensorFlow 1's device mapping.
inline std::string mapping_line_tf1(int index, int machine_index, hardware const& about) {
  return "/job:localhost/replica:0/task:0/gpu:" + std::to_string(index) +
         " -> device: " + std::to_string(machine_index) + ", name: " + about.name +
         ", pci bus id: " + about.pci_bus_id;
}

/// The whole mapping, one string per line; `tf1` selects TensorFlow 1's form.
inline std::vector<std::string> device_mapping_lines(bool tf1) {
  device_lists const lists = devices_now();
  if (lists.gpus.empty()) return {"Device mapping: no known devices."};
  std::vector<std::string> lines{"Device mapping:"};
  for (logical_device const& d : lists.gpus) {
    hardware const about = d.owner->describe(d.ordinal);
    auto* const line = tf1 ? mapping_line_tf1 : mapping_line;
    lines.push_back(line(d.id.index, machine_index(d), about));
  }
  return lines;
}

}  // namespace detail

PLACEMENT_INLINE std::string device_mapping() try {
  std::string text;
  for (std::string const& line : detail::device_mapping_lines(false)) text += line + '\n';
  return text;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::string device_mapping_tf1() try {
  std::string text;
  for (std::string const& line : detail::device_mapping_lines(true)) text += line + '\n';
  return text;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE int device_count(kind type) try {
  machine const m = detail::devices_now().counts;
  return type == kind::cpu ? m.cpus : type == kind::gpu ? m.gpus : m.cpus + m.gpus;
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE bool is_available() { return device_count(kind::gpu) > 0; }

PLACEMENT_INLINE memory_info memory_info_of(device d) try {
  logical_device const found = detail::found_now(d);
  return found.owner->memory(found.ordinal);
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE hardware properties(device d) try {
  logical_device const found = detail::found_now(d);
  return found.owner->describe(found.ordinal);
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::string hardware_name(device d) { return properties(d).name; }

PLACEMENT_INLINE compute_capability capability(device d) try {
  hardware const about = properties(d);
  return {about.capability_major, about.capability_minor};
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE std::string gpu_device_name() try {
  return is_available() ? detail::found_now(gpu0).name() : std::string();
} catch (...) { detail::rethrow_as_error(); }

PLACEMENT_INLINE bool is_built_with_cuda() { return detail::with_hardware(); }

PLACEMENT_INLINE std::string why_no_gpu() try {
  return detail::why_no_gpu_among(detail::devices_now());
} catch (...) { detail::rethrow_as_error(); }

namespace detail {

inline software_versions hardware_versions() {
  registry& r = registry_of_process();
  lock_guard guard(r.guard);
  return r.hardware_owner == nullptr ? software_versions{} : r.hardware_owner->versions();
}

}  // namespace detail

PLACEMENT_INLINE int cuda_runtime_version() { return detail::hardware_versions().runtime; }

PLACEMENT_INLINE int cuda_driver_version() { return detail::hardware_versions().driver; }

}}  // namespace placement::v0_1
