#pragma once
/// Memory statistics of one logical device.

#include <cstddef>

namespace placement { inline namespace v0_1 {

/// Exact to the byte. Sizes are multiples of 256 bytes.
struct memory_stats {
  std::size_t in_use = 0;              ///< Allocated at present.
  std::size_t peak = 0;                ///< The maximum of in_use since the start or last reset.
  std::size_t reserved = 0;            ///< Committed memory of the device.
  std::size_t peak_reserved = 0;       ///< The maximum of reserved since the start or last reset.
  std::size_t limit = 0;               ///< The maximum that may be reserved.
  std::size_t largest_free = 0;        ///< The largest possible allocation at present.
  std::size_t allocations = 0;         ///< Blocks allocated at present.
  std::size_t total_allocations = 0;   ///< Blocks allocated since the start.
  std::size_t failures = 0;            ///< Failed requests since the start.
  std::size_t largest_allocation = 0;  ///< The largest block ever allocated.
  double fragmentation = 0;  ///< Share of the free reserved bytes outside of the longest gap.
  std::size_t queued = 0;    ///< Host memory that work in the device's queue keeps.

  friend constexpr bool operator==(memory_stats const&, memory_stats const&) = default;
};

}}  // namespace placement::v0_1
