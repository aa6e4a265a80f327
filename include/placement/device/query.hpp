#pragma once
/// Questions about devices: lists, names, properties, versions, and how logical devices map to
/// them.
///
/// Only list_logical_devices fixes the configuration; the others tell what is, or would be, in
/// force.

#include <placement/device/configuration.hpp>
#include <placement/device/logical_device.hpp>
#include <placement/device/physical_device.hpp>
#include <placement/device/platform.hpp>
#include <placement/device/registry.hpp>
#include <placement/error.hpp>

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
template <class Once = void> std::string to_string(compute_capability c);

/// The devices of the machine that this process may see: CPUs, then GPUs. With a type only those;
/// none for any other type than CPU and GPU. No side effect: no context, and it works while a GPU's
/// memory is full. Throws: invalid_argument for a malformed environment.
template <class Once = void>
std::vector<physical_device> list_physical_devices(std::string_view type = {});

/// The devices the program can name: CPUs, then GPUs. Fixes the configuration.
template <class Once = void>
std::vector<logical_device> list_logical_devices(std::string_view type = {});

/// How logical GPUs map to the machine's, as TensorFlow 2 prints it; each line with its end.
///
///     Device mapping:
///     /job:localhost/replica:0/task:0/device:GPU:0 -> device: 0, name: ..., pci bus id: ..., ...
template <class Once = void> std::string device_mapping();

/// The same as TensorFlow 1 prints it: `/job:localhost/replica:0/task:0/gpu:0 -> device: 0, ...`.
template <class Once = void> std::string device_mapping_tf1();

/// How many logical devices of a kind there are; all for kind::any.
template <class Once = void> int device_count(kind type = kind::gpu);

/// Whether there is a GPU, real or simulated.
template <class Once = void> bool is_available();

/// Free and total bytes of the device that a logical device is, or is a part of, as the device says
/// now: `free` excludes what other processes hold. Of a CPU the system's free memory, without what
/// it caches. Throws: placement_error if there is none. Cost: a question to the device; on a
/// hardware GPU the first one makes its context.
template <class Once = void> memory_info memory_info_of(device d);

/// What the hardware of a logical device is like. Throws: placement_error if there is none.
template <class Once = void> hardware properties(device d);

/// "Simulated GPU", "NVIDIA H100 80GB HBM3". Throws: placement_error.
template <class Once = void> std::string hardware_name(device d);

/// Its CUDA compute capability; {0, 0} for a CPU. Throws: placement_error.
template <class Once = void> compute_capability capability(device d);

/// The name of the first GPU, "/device:GPU:0"; "" if there is none.
template <class Once = void> std::string gpu_device_name();

/// Whether this program has the library's CUDA half: a file of it was built by a CUDA compiler.
template <class Once = void> bool is_built_with_cuda();

/// Why there is no GPU, as a sentence that says what to do: no driver, one that is too old, none
/// visible, code for other GPUs only, no file compiled with CUDA. Empty where there is a GPU.
template <class Once = void> std::string why_no_gpu();

/// The CUDA runtime's version, 13000 for 13.0; 0 if there is none.
template <class Once = void> int cuda_runtime_version();

/// The newest CUDA version the driver can run; 0 if there is none.
template <class Once = void> int cuda_driver_version();

}  // namespace placement::inline v0_1
