#pragma once
/// Memory of logical devices: blocks for tensors, statistics, release of unused memory. The pools
/// themselves are in pools.hpp.

#include <placement/device/device.hpp>
#include <placement/memory/call_site.hpp>
#include <placement/memory/stats.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 {

/// Memory statistics of a logical device. For a GPU they cover all its tensors. For the CPU they
/// cover tensors of 1 MiB and more, and containers on its pool. `reserved` is committed memory; the
/// CPU's system provides it page by page at the first write.
/// Throws: placement_error if there is no such device.
memory_stats memory_stats_of(device d);

/// Resets the device's peak to the bytes in use. Throws: placement_error.
void reset_memory_peak(device d);

/// Releases memory that no block uses to the device; returns the number of bytes.
/// Throws: placement_error if there is no such device; what the platform throws.
std::size_t trim(device d);
/// The same for all devices; returns the sum.
std::size_t trim();

/// Whether a failed allocation is tried once more after trim() of all devices. May change at any
/// time.
void set_trim_and_retry(bool on) noexcept;

namespace detail {

/// Allocates a block of the device. If trim-and-retry is set, tries again after a trim().
/// Throws: out_of_memory.
void* allocate_block(device d, std::size_t size, call_site const& caller);
/// Deallocates such a block.
void deallocate_block(device d, void* data, std::size_t size);

}  // namespace detail

}}  // namespace placement::v0_1
