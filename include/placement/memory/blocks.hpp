#pragma once
/// Memory of logical devices: blocks for tensors, figures, and giving back what nobody uses. The
/// pools behind it are in pools.hpp.

#include <placement/device/device.hpp>
#include <placement/memory/call_site.hpp>
#include <placement/memory/stats.hpp>

#include <cstddef>

namespace placement::inline v0_1 {

/// Memory figures of a logical device: of a GPU all its tensors; of the CPU those of 1 MiB and
/// more, and what containers have of its pool. `reserved` is what may be written to; the CPU's
/// memory is taken page by page as it is.
/// Throws: placement_error when there is no such device.
template <class Once = void> memory_stats memory_stats_of(device d);

/// The device's peak begins anew at what is in use. Throws: placement_error.
template <class Once = void> void reset_memory_peak(device d);

/// Gives memory that no block uses back to the device; returns how many bytes. What is in use
/// stays. Throws: placement_error when there is no such device; what the platform does.
template <class Once = void> std::size_t trim(device d);
/// The same for all devices.
template <class Once = void> std::size_t trim();

/// Whether a request that a device refuses is tried once more after trim(). May change at any time.
template <class Once = void> void set_trim_and_retry(bool on) noexcept;

namespace detail {

/// A block of the device, after a trim and once more if that is the policy. Throws: out_of_memory.
template <class Once = void>
void* allocate_block(device d, std::size_t size, call_site const& caller);
/// The opposite.
template <class Once = void> void deallocate_block(device d, void* data, std::size_t size);

}  // namespace detail

}  // namespace placement::inline v0_1
