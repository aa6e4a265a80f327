#pragma once
/// Definitions: the random numbers of the process.

#include <placement/config.hpp>
#include <placement/ops/set_seed.hpp>

#include <atomic>
#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {

/// One for the process. The seed without set_seed is fixed, so that programs repeat exactly.
struct random_state {
  std::atomic<std::uint64_t> seed{0x5EED};
  std::atomic<std::uint64_t> next{0};
};
PLACEMENT_PROCESS_STATE inline random_state& the_random_state() {
  static random_state& all = *new random_state;
  return all;
}

PLACEMENT_INLINE random_stream next_random_stream() noexcept {
  random_state& s = the_random_state();
  return {s.seed.load(std::memory_order_relaxed), s.next.fetch_add(1, std::memory_order_relaxed)};
}

}  // namespace detail

PLACEMENT_INLINE void set_seed(std::uint64_t seed) noexcept {
  detail::random_state& s = detail::the_random_state();
  s.seed.store(seed, std::memory_order_relaxed);
  s.next.store(0, std::memory_order_relaxed);
}

}}  // namespace placement::v0_1
