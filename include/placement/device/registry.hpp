#pragma once
/// Which devices this process has. Configured until the first use, then fixed.

#include <placement/config.hpp>
#include <placement/device/device_spec.hpp>
#include <placement/device/machine.hpp>
#include <placement/runtime/shared_word.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace placement::inline v0_1 {

class platform;
struct logical_device;

namespace detail {

/// How many logical devices there are, once they are fixed.
PLACEMENT_PROCESS_STATE inline constinit shared_word<machine const*> fixed_machine{nullptr};

/// What set_current_device said on this thread.
PLACEMENT_PROCESS_STATE inline constinit thread_local device device_of_thread{};

/// The device of this program that a name is for. Throws: placement_error for any other.
template <class Once = void> device device_here(device_spec name);

/// Fixes the devices, or leaves all as it was.
template <class Once = void> [[gnu::cold, gnu::noinline]] machine const& fix_machine();

}  // namespace detail

/// Whether the devices are fixed.
inline bool is_initialized() noexcept { return detail::fixed_machine.load() != nullptr; }

/// How many logical devices there are. Fixes the configuration.
/// Cost: one atomic load once that is done.
inline machine this_machine() {
  machine const* const fixed = detail::fixed_machine.load();
  return fixed != nullptr ? *fixed : detail::fix_machine();
}

/// Fixes the configuration and the devices: the first op, device scope or list of logical devices
/// does. Strong. Throws: what the environment or a platform throws.
inline void freeze_configuration() { this_machine(); }

/// Whether the device can be used. Fixes the configuration.
inline bool exists(device d) { return this_machine().has(d); }

/// The logical device; an open index gives the first of its kind. Fixes the configuration.
/// Throws: placement_error, naming what there is and, where GPUs were renumbered, their numbers.
template <class Once = void> logical_device const& logical(device d);

/// "/CPU:0, /GPU:0": what there is, or would be if the configuration were fixed now.
template <class Once = void> std::string available_devices();

/// "/GPU:0 is device 1, /GPU:1 is device 2": the machine's numbers of the GPUs, if any number
/// differs from the logical one; else "".
template <class Once = void> std::string device_numbering();

/// Adds a kind of GPU to the process: one of hardware, or one that is simulated and then goes
/// before the built-in simulated GPUs. The platform must live for ever. Adding it again changes
/// nothing.
/// Throws: invalid_argument after the devices are fixed, or if there is another one of its sort.
template <class Once = void> void register_gpu_platform(platform& p);

/// The device that set_current_device chose on this thread; kind::any if none was chosen.
inline device current_device() noexcept { return detail::device_of_thread; }

/// Where ops of this thread run from now on, unless a scope or on() says otherwise: it counts as
/// the outermost scope. `device{}` takes it back. Does not fix the configuration.
/// Throws: placement_error, naming what there is, for a device that is not there.
template <class Once = void> void set_current_device(device d);
/// The same by its name, "/gpu:1" or "gpu:1"; one without a device takes it back.
/// Throws: invalid_argument for a text that is no device name; placement_error.
template <std::convertible_to<std::string_view> Name> void set_current_device(Name const& name) {
  set_current_device(detail::device_here(detail::parse_device_spec(detail::text_of_name(name))));
}

}  // namespace placement::inline v0_1
