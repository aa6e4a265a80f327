#pragma once
/// Queries about devices: lists, names, properties, versions and the mapping of logical devices to
/// physical ones.
///
/// Only list_logical_devices fixes the configuration. The other queries report the state that is,
/// or would be, in force.

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

namespace placement { inline namespace v0_1 {

/// A CUDA compute capability: 7.5 is {7, 5}.
struct compute_capability {
  int first = 0;
  int second = 0;

  friend constexpr auto operator<=>(compute_capability, compute_capability) = default;
};

/// "7.5"
std::string to_string(compute_capability c);

/// The physical devices that this process may see: CPUs, then GPUs. A type restricts the list; a
/// type other than CPU and GPU gives an empty one. Makes no context, has no side effect, and works
/// while a GPU's memory is full. Throws: invalid_argument for a malformed environment.
std::vector<physical_device> list_physical_devices(std::string_view type = {});

/// The devices that the program can name: CPUs, then GPUs. Fixes the configuration.
std::vector<logical_device> list_logical_devices(std::string_view type = {});

/// The mapping of logical GPUs to the machine's, as TensorFlow 2 prints it. Each line ends with a
/// newline.
///
/// ```
///     Device mapping:
///     /job:localhost/replica:0/task:0/device:GPU:0 -> device: 0, name: ..., pci bus id: ..., ...
/// ```
std::string device_mapping();

/// The same as TensorFlow 1 prints it: `/job:localhost/replica:0/task:0/gpu:0 -> device: 0, ...`.
std::string device_mapping_tf1();

/// The number of logical devices of a kind; kind::any counts all.
int device_count(kind type = kind::gpu);

/// Whether there is a GPU, real or simulated.
bool is_available();

/// Free and total bytes of the physical device behind a logical device, as the device reports them.
/// `free` excludes memory of other processes. For a CPU `free` is the system's free memory, without
/// its caches. Throws: placement_error if there is no such device. Cost: a query to the device; the
/// first one on a hardware GPU creates its context.
memory_info memory_info_of(device d);

/// The hardware properties of a logical device. Throws: placement_error if there is no such device.
hardware properties(device d);

/// "Simulated GPU", "NVIDIA H100 80GB HBM3". Throws: placement_error.
std::string hardware_name(device d);

/// The CUDA compute capability; {0, 0} for a CPU. Throws: placement_error.
compute_capability capability(device d);

/// The name of the first GPU, "/device:GPU:0"; "" if there is none.
std::string gpu_device_name();

/// Whether a CUDA compiler built a file of this program, so that the library's CUDA platform is in
/// it.
bool is_built_with_cuda();

/// Why there is no GPU, as a sentence with a remedy. Reasons: no driver, a driver that is too old,
/// no visible GPU, code for other GPUs only, no file compiled with CUDA. Empty if there is a GPU.
std::string why_no_gpu();

/// The CUDA runtime's version, 13000 for 13.0; 0 if there is none.
int cuda_runtime_version();

/// The newest CUDA version that the driver supports; 0 if there is none.
int cuda_driver_version();

}}  // namespace placement::v0_1
