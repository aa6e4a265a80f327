#pragma once
/// TensorFlow's run-time configuration: which devices are visible, split, limited, how many
/// threads.
///
/// All of it before the first use; listing physical devices is no use. After it each call refuses
/// to change anything, but setting the value already in force is never an error. Each call is
/// strong.

#include <placement/device/logical_device.hpp>
#include <placement/device/physical_device.hpp>
#include <placement/device/registry.hpp>
#include <placement/device/simulated_gpus.hpp>
#include <placement/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace placement::inline v0_1 {

/// One part of a device that is split. Units: MiB, as TensorFlow's memory_limit; 0 = none given.
struct logical_device_configuration {
  std::size_t memory_limit_mib = 0;
};

// ---- which GPUs there are

/// Replaces the machine's GPUs by simulated ones; a count of 0 takes the environment's back as
/// well.
/// Throws: invalid_argument after the first use, after other calls here about GPUs, or for a count
/// or size that cannot be.
template <class Once = void> void set_simulated_gpus(simulated_gpus const& settings);

// ---- which devices are visible

/// Makes these devices the visible ones, numbered from 0 in this order. With a type the devices of
/// the other type stay as they are; without one GPUs that are not listed are hidden. The CPU is
/// always visible. Throws: invalid_argument.
template <class Once = void>
void set_visible_devices(std::vector<physical_device> const& devices, std::string_view type = {});

/// The same with a text of indexes, "1,2", as ConfigProto's visible_device_list; "" means all.
/// Throws: invalid_argument.
template <class Once = void> void set_visible_device_list(std::string_view indexes);

/// The visible devices, CPUs first, GPUs in the order of their logical numbers.
template <class Once = void>
std::vector<physical_device> visible_devices(std::string_view type = {});

// ---- memory

/// Whether the GPU's memory is taken on need (true, the default) or whole at first use. Each GPU
/// has its own setting. Throws: invalid_argument for a CPU, an unknown device, or too late.
template <class Once = void> void set_memory_growth(physical_device p, bool on_need);

/// Throws: invalid_argument for a CPU or an unknown device.
template <class Once = void> bool memory_growth(physical_device p);

/// The steps in which a GPU's memory is taken on need.
/// Throws: invalid_argument for a CPU, an unknown device, steps that do not grow, or too late.
template <class Once = void> void set_memory_growth_steps(physical_device p, growth_steps steps);

/// Whether the GPU's memory comes block by block from the platform's own allocator, on NVIDIA's
/// GPUs cudaMallocAsync, in place of ours over a region. For programs whose other libraries use it,
/// too: what is freed serves both. Limits hold; growth does not count.
/// Throws: invalid_argument for a CPU, an unknown device, or too late.
template <class Once = void> void set_memory_stream_ordered(physical_device p, bool on);

/// Limits each logical GPU to this share of its GPU's memory, 0 < share <= 1. A limit in bytes
/// beats it. Throws: invalid_argument for another share, or too late.
template <class Once = void> void set_memory_fraction(double share);
/// The same under TensorFlow's name.
template <class Once = void> void set_per_process_gpu_memory_fraction(double share);

/// The same for one GPU; it beats what was set for all. Throws: invalid_argument, also for a CPU.
template <class Once = void> void set_memory_fraction(physical_device p, double share);

/// The share that was set; 0 = none.
template <class Once = void> double memory_fraction();

// ---- logical devices

/// Splits a device. Each part of a GPU needs a limit, and all of them must fit into it; a CPU's
/// parts have none. An empty list makes the device one again. Throws: invalid_argument.
template <class Once = void>
void set_logical_device_configuration(physical_device p,
                                      std::vector<logical_device_configuration> const& parts);

/// The same for a GPU, with the limits in bytes; one limit caps the GPU without splitting it.
/// Throws: invalid_argument.
template <class Once = void>
void set_logical_device_limits(physical_device p, std::vector<std::size_t> limits_bytes);

/// The limits of the parts of a GPU, in bytes; empty if none were set. Throws: invalid_argument.
template <class Once = void> std::vector<std::size_t> logical_device_limits(physical_device p);

// ---- threads

/// The threads that share a kernel of the CPU, the caller's among them; 0: one for each processor
/// that this process may use. Small work is done by the caller alone; so are kernels of simulated
/// GPUs, which are at work side by side. Results do not depend on it.
template <class Once = void> int intra_op_threads();

/// How many kernels of simulated GPUs run at the same time; 0: one on each.
template <class Once = void> int inter_op_threads();

/// Throws: invalid_argument for a number that cannot be, or too late.
template <class Once = void> void set_intra_op_threads(int count);

/// Throws: invalid_argument for a number that cannot be, or too late.
template <class Once = void> void set_inter_op_threads(int count);

}  // namespace placement::inline v0_1
