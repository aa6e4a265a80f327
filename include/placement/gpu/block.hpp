#pragma once
/// The thread blocks of all GPU kernels of the library.

#include <placement/config.hpp>
#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 {

/// The threads per block of all kernels of the library.
inline constexpr int block_threads = 256;
/// The threads of a warp.
inline constexpr int warp_threads = 32;
/// Fills a large GPU several times; the upper limit of parts per row.
inline constexpr index_t enough_blocks = 1024;

namespace detail {
/// The least power of 2 that is n or more, and at most the threads of a block.
constexpr int power_of_two_from(index_t n) {
  int p = 1;
  while (p < n && p < block_threads) p *= 2;
  return p;
}

/// For kernels without per-thread state between barriers, and without shared memory.
struct no_local {};
}  // namespace detail

}}  // namespace placement::v0_1
