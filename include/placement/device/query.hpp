#pragma once
/// Questions about devices: lists, names, properties, versions, and how logical devices map to
/// them.
///
/// Only list_logical_devices fixes the configuration; the others tell what is, or would be, in
/// force.

#include <placement/device/configuration.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/device/physical_device.hpp>
#include <placement/device/registry.hpp>

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace placement::inline v0_1 {

/// A CUDA compute capability: 7.5 is {7, 5}.
struct compute_capability {
  int first = 0;
  int second = 0;

  friend constexpr auto operator<=>(compute_capability, compute_capability) = default;
};

/// "7.5"
inline std::string to_string(compute_capability c) {
  return std::to_string(c.first) + "." + std::to_string(c.second);
}

/// The devices of the machine that this process may see: CPUs, then GPUs. With a type only those;
/// none for any other type than CPU and GPU. No side effect: no context, and it works while a GPU's
/// memory is full. Throws: invalid_argument for a malformed environment.
inline std::vector<physical_device> list_physical_devices(std::string_view type = {}) {
  detail::registry& r = detail::registry_of_process();
  lock_guard hold(r.guard);
  return detail::of_type(detail::physical_devices(r), type);
}

/// The devices the program can name: CPUs, then GPUs. Fixes the configuration.
inline std::vector<logical_device> list_logical_devices(std::string_view type = {}) {
  detail::device_lists const& lists = detail::fixed();
  std::vector<logical_device> all = lists.cpus;
  all.insert(all.end(), lists.gpus.begin(), lists.gpus.end());
  return detail::of_type(all, type);
}

namespace detail {

inline logical_device found_now(device d) {
  device_lists const lists = devices_now<>();
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

/// The whole mapping, a text per line; `tf1`: in TensorFlow 1's form.
inline std::vector<std::string> device_mapping_lines(bool tf1) {
  device_lists const lists = devices_now<>();
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

/// How logical GPUs map to the machine's, as TensorFlow 2 prints it; each line with its end.
///
///     Device mapping:
///     /job:localhost/replica:0/task:0/device:GPU:0 -> device: 0, name: ..., pci bus id: ..., ...
inline std::string device_mapping() {
  std::string text;
  for (std::string const& line : detail::device_mapping_lines(false)) text += line + '\n';
  return text;
}

/// The same as TensorFlow 1 prints it: `/job:localhost/replica:0/task:0/gpu:0 -> device: 0, ...`.
inline std::string device_mapping_tf1() {
  std::string text;
  for (std::string const& line : detail::device_mapping_lines(true)) text += line + '\n';
  return text;
}

/// How many logical devices of a kind there are; all for kind::any.
inline int device_count(kind type = kind::gpu) {
  machine const m = detail::devices_now<>().counts;
  return type == kind::cpu ? m.cpus : type == kind::gpu ? m.gpus : m.cpus + m.gpus;
}

/// Whether there is a GPU, real or simulated.
inline bool is_available() { return device_count(kind::gpu) > 0; }

/// What the hardware of a logical device is like. Throws: placement_error if there is none.
inline hardware properties(device d) {
  logical_device const found = detail::found_now(d);
  return found.owner->describe(found.ordinal);
}

/// "Simulated GPU", "NVIDIA H100 80GB HBM3". Throws: placement_error.
inline std::string hardware_name(device d) { return properties(d).name; }

/// Its CUDA compute capability; {0, 0} for a CPU. Throws: placement_error.
inline compute_capability capability(device d) {
  hardware const about = properties(d);
  return {about.capability_major, about.capability_minor};
}

/// The name of the first GPU, "/device:GPU:0"; "" if there is none.
inline std::string gpu_device_name() {
  return is_available() ? detail::found_now(gpu0).name() : std::string();
}

/// Whether this program has the library's CUDA half: a file of it was built by a CUDA compiler.
inline bool is_built_with_cuda() { return detail::with_hardware(); }

/// Why there is no GPU, as a sentence that says what to do: no driver, one that is too old, none
/// visible, code for other GPUs only, no file compiled with CUDA. Empty where there is a GPU.
inline std::string why_no_gpu() { return detail::why_no_gpu_among(detail::devices_now<>()); }

namespace detail {

inline software_versions hardware_versions() {
  registry& r = registry_of_process();
  lock_guard hold(r.guard);
  return r.hardware_owner == nullptr ? software_versions{} : r.hardware_owner->versions();
}

}  // namespace detail

/// The CUDA runtime's version, 13000 for 13.0; 0 if there is none.
inline int cuda_runtime_version() { return detail::hardware_versions().runtime; }

/// The newest CUDA version the driver can run; 0 if there is none.
inline int cuda_driver_version() { return detail::hardware_versions().driver; }

}  // namespace placement::inline v0_1
