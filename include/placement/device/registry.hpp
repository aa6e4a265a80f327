#pragma once
/// The devices of this process: configured until the first use, then fixed.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/device/machine.hpp>
#include <placement/device/name.hpp>
#include <placement/runtime/shared_word.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace placement { inline namespace v0_1 {

class platform;
struct logical_device;

namespace detail {

class task_table;

/// The number of logical devices, once they are fixed.
PLACEMENT_PROCESS_STATE inline constinit shared_word<machine const*> fixed_machine{nullptr};

/// The device that set_current_device chose on this thread.
PLACEMENT_PROCESS_STATE inline constinit thread_local device device_of_thread{};

/// The device of this program that a name denotes. Throws: invalid_argument for a text that is not
/// a device name; placement_error for any other device.
device device_here(std::string_view name);

/// Fixes the devices. Strong guarantee.
[[gnu::cold]] machine const& fix_machine();

/// Sets the tasks of the program, and this_machine().tasks. Null: one process again. Fixes the
/// devices. The table lives for ever. Throws: what the environment or a platform throws.
void set_tasks_of_program(task_table const* table);

}  // namespace detail

/// Whether the devices are fixed.
inline bool is_initialized() noexcept { return detail::fixed_machine.load() != nullptr; }

/// The number of logical devices. Fixes the configuration. Cost: one atomic load after the first
/// call.
inline machine this_machine() {
  machine const* const fixed = detail::fixed_machine.load();
  return fixed != nullptr ? *fixed : detail::fix_machine();
}

/// Fixes the configuration and the devices, as the first op, device scope or list of logical
/// devices does. Strong guarantee. Throws: what the environment or a platform throws.
inline void freeze_configuration() { this_machine(); }

/// Whether the device exists. Fixes the configuration.
inline bool exists(device d) { return this_machine().has(d); }

/// The logical device; an open index returns the first of its kind. Fixes the configuration.
/// Throws: placement_error, naming the available devices and, where they differ, the machine's
/// numbers of the GPUs.
logical_device const& logical(device d);

/// Example: "/CPU:0, /GPU:0". The available devices, as they are or would be if the configuration
/// were fixed by this call.
std::string available_devices();

/// Example: "/GPU:0 is device 1, /GPU:1 is device 2". The machine's numbers of the GPUs, if any
/// differs from the logical number; else "".
std::string device_numbering();

/// Registers a kind of GPU: hardware, or a simulated one, which takes precedence over the built-in
/// simulated GPUs. The platform must live for ever. Registering it again changes nothing.
/// Throws: invalid_argument after the devices are fixed, or if another platform of its sort is
/// registered.
void register_gpu_platform(platform& p);

/// The device that set_current_device chose on this thread; kind::any if none.
inline device current_device() noexcept { return detail::device_of_thread; }

/// Sets the device of this thread's later ops, unless a scope or on() overrides it: it counts as
/// the outermost scope. `device{}` resets it. Does not fix the configuration.
/// Throws: placement_error for a missing device, naming the available ones.
void set_current_device(device d);
/// The same by name, "/gpu:1" or "gpu:1"; a name without a device resets it.
/// Throws: invalid_argument for a text that is not a device name; placement_error.
template <std::convertible_to<std::string_view> Name> void set_current_device(Name const& name) {
  set_current_device(detail::device_here(detail::text_of_name(name)));
}

}}  // namespace placement::v0_1
