#pragma once
/// Definitions of blocks.hpp: blocks come from their device's pool.

#include <placement/config.hpp>
#include <placement/error.hpp>
#include <placement/memory/blocks.hpp>
#include <placement/memory/pools.hpp>

#include <atomic>
#include <cstddef>

namespace placement { inline namespace v0_1 {

PLACEMENT_INLINE memory_stats memory_stats_of(device d) { return pool_of(d).stats(); }

PLACEMENT_INLINE void reset_memory_peak(device d) { pool_of(d).reset_peak(); }

PLACEMENT_INLINE std::size_t trim(device d) { return pool_of(d).trim(); }
PLACEMENT_INLINE std::size_t trim() {
  std::size_t sum = 0;
  detail::all_pools().for_each([&](pool& p) { sum += p.trim(); });
  return sum;
}

namespace detail {

PLACEMENT_PROCESS_STATE inline constinit std::atomic<bool> trims_and_retries{false};

PLACEMENT_INLINE void* allocate_block(device d, std::size_t size, call_site const& caller) {
  pool& from = pool_of(d);
  try {
    return from.allocate(size, caller);
  } catch (out_of_memory const&) {
    if (!trims_and_retries.load(std::memory_order_relaxed) || trim() == 0) throw;
  }
  return from.allocate(size, caller);
}
PLACEMENT_INLINE void deallocate_block(device d, void* data, std::size_t size) {
  pool_of(d).deallocate(data, size);
}

}  // namespace detail

PLACEMENT_INLINE void set_trim_and_retry(bool on) noexcept {
  detail::trims_and_retries.store(on, std::memory_order_relaxed);
}

}}  // namespace placement::v0_1
