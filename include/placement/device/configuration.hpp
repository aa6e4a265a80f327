#pragma once
/// Run-time configuration as in TensorFlow: visible devices, splits, memory limits, thread counts.
///
/// Configure before the first use; listing physical devices is not a use. Later calls throw if they
/// would change a value. Setting the value in force is never an error. Each call has the strong
/// guarantee.

#include <placement/device/logical_device.hpp>
#include <placement/device/physical_device.hpp>
#include <placement/device/registry.hpp>
#include <placement/device/simulated_gpus.hpp>
#include <placement/error.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace placement { inline namespace v0_1 {

/// One part of a split device. Units: MiB, as TensorFlow's memory_limit; 0 = no limit given.
struct logical_device_configuration {
  std::size_t memory_limit_mib = 0;
};

// ---- the GPUs of the process

/// Replaces the machine's GPUs by simulated ones. A count of 0 also cancels simulated GPUs of the
/// environment.
/// Throws: invalid_argument after the first use, after other GPU settings, or for an impossible
/// count or size.
void set_simulated_gpus(simulated_gpus const& settings);

// ---- visible devices

/// Makes these devices visible, numbered from 0 in this order. A type restricts the call to devices
/// of that type. Without a type, GPUs that are not listed are hidden. The CPU is always visible.
/// Throws: invalid_argument.
void set_visible_devices(std::vector<physical_device> const& devices, std::string_view type = {});
/// The same for one device: `set_visible_devices(gpus[0], "GPU")`.
template <std::same_as<physical_device> P>
void set_visible_devices(P const& device, std::string_view type = {}) {
  set_visible_devices(std::vector<physical_device>{device}, type);
}

/// The same with a text of indexes, "1,2", as ConfigProto's visible_device_list; "" means all.
/// Throws: invalid_argument.
void set_visible_device_list(std::string_view indexes);

/// The visible devices: CPUs first, then GPUs in the order of their logical numbers.
std::vector<physical_device> visible_devices(std::string_view type = {});

// ---- memory

/// Whether the GPU's memory is allocated on demand (true, the default) or all of it at first use.
/// Each GPU has its own setting. Throws: invalid_argument for a CPU, an unknown device, or after
/// the first use.
void set_memory_growth(physical_device p, bool on_need);

/// Throws: invalid_argument for a CPU or an unknown device.
bool memory_growth(physical_device p);

/// The steps in which a GPU's memory grows on demand.
/// Throws: invalid_argument for a CPU, an unknown device, steps that do not grow, or after the
/// first use.
void set_memory_growth_steps(physical_device p, growth_steps steps);

/// Whether each block of the GPU's memory comes from the platform's own allocator, on NVIDIA GPUs
/// cudaMallocAsync. The default is the library's pool over one region. For programs whose other
/// libraries use that allocator: all of them then reuse each other's freed memory. Limits apply;
/// growth has no effect.
/// Throws: invalid_argument for a CPU, an unknown device, or after the first use.
void set_memory_stream_ordered(physical_device p, bool on);

/// Limits each logical GPU to this share of its GPU's memory, 0 < share <= 1. A limit in bytes
/// overrides it. Throws: invalid_argument for another share, or after the first use.
void set_memory_fraction(double share);
/// The same under TensorFlow's name.
void set_per_process_gpu_memory_fraction(double share);

/// The same for one GPU; overrides the share for all GPUs. Throws: invalid_argument, also for a
/// CPU.
void set_memory_fraction(physical_device p, double share);

/// The share set for all GPUs; 0 = none.
double memory_fraction();

// ---- logical devices

/// Splits a device. Each part of a GPU needs a limit, and all parts must fit into its memory. Parts
/// of a CPU have no limit. An empty list undoes the split. Throws: invalid_argument.
void set_logical_device_configuration(physical_device p,
                                      std::vector<logical_device_configuration> const& parts);

/// The same for a GPU, with limits in bytes. A single limit caps the GPU without a split.
/// Throws: invalid_argument.
void set_logical_device_limits(physical_device p, std::vector<std::size_t> limits_bytes);

/// The memory limits of a GPU's parts, in bytes; empty if none were set. Throws: invalid_argument.
std::vector<std::size_t> logical_device_limits(physical_device p);

// ---- threads

/// The number of threads of one CPU kernel, the caller's included; 0: one per processor that this
/// process may use. Small kernels run on the caller's thread only. Kernels of a simulated GPU run
/// on its own thread, as several GPUs work at the same time. Results do not depend on the number of
/// threads.
int intra_op_threads();

/// The number of kernels of simulated GPUs that run at the same time; 0: one on each GPU.
int inter_op_threads();

/// Throws: invalid_argument for an impossible number, or after the first use.
void set_intra_op_threads(int count);

/// Throws: invalid_argument for an impossible number, or after the first use.
void set_inter_op_threads(int count);

}}  // namespace placement::v0_1
