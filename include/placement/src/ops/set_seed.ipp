#pragma once
/// Definitions: the random numbers of the process.

#include <placement/config.hpp>
#include <placement/ops/set_seed.hpp>

#include <atomic>
#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {

/// One for the process. The seed without set_seed is fixed, so that programs repeat exactly.
struct random_numbers {
  std::atomic<std::uint64_t> seed{0x5EED};
  std::atomic<std::uint64_t> next{0};
};
PLACEMENT_PROCESS_STATE inline random_numbers& the_random_numbers() {
  static random_numbers& all = *new random_numbers;
  return all;
}

PLACEMENT_INLINE random_stream next_random_stream() noexcept {
  random_numbers& s = the_random_numbers();
  return {s.seed.load(std::memory_order_relaxed), s.next.fetch_add(1, std::memory_order_relaxed)};
}

}  // namespace detail

PLACEMENT_INLINE random_state current_random_state() noexcept {
  detail::random_numbers const& s = detail::the_random_numbers();
  return {s.seed.load(std::memory_order_relaxed), s.next.load(std::memory_order_relaxed)};
}
PLACEMENT_INLINE void set_random_state(random_state const& state) noexcept {
  detail::random_numbers& s = detail::the_random_numbers();
  s.seed.store(state.seed, std::memory_order_relaxed);
  s.next.store(state.next, std::memory_order_relaxed);
}
PLACEMENT_INLINE void set_seed(std::uint64_t seed) noexcept { set_random_state({seed, 0}); }

}}  // namespace placement::v0_1
