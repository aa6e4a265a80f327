#pragma once
/// Figures of one logical device's memory.

#include <placement/version.hpp>

#include <cstddef>

namespace placement::inline v0_1 {

/// Exact to the byte. Sizes are multiples of 256 bytes.
struct memory_stats {
  std::size_t in_use = 0;         ///< handed out now
  std::size_t peak = 0;           ///< the most that was handed out since the start or last reset
  std::size_t reserved = 0;       ///< backed by memory of the device
  std::size_t peak_reserved = 0;  ///< the most that was reserved since the start or last reset
  std::size_t limit = 0;          ///< the most that may be reserved
  std::size_t largest_free = 0;   ///< the largest block that could be had now
  std::size_t allocations = 0;    ///< blocks handed out now
  std::size_t total_allocations = 0;   ///< blocks that were handed out since the start
  std::size_t failures = 0;            ///< requests that were refused since the start
  std::size_t largest_allocation = 0;  ///< the largest block that was ever handed out
  double fragmentation = 0;  ///< share of the free reserved bytes outside of the longest gap
  std::size_t queued = 0;    ///< host memory that work in the device's queue keeps

  friend constexpr bool operator==(memory_stats const&, memory_stats const&) = default;
};

}  // namespace placement::inline v0_1
