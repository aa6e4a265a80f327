#pragma once
/// Where the random ops of a program take their numbers from.

#include <placement/kernels/philox.hpp>

#include <atomic>

namespace placement::inline v0_1 {

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

/// The stream of a random op that is being written: its number is drawn now, so that the same node
/// gives the same elements each time it is evaluated, and two nodes give different ones.
inline random_stream next_random_stream() noexcept {
  random_state& s = the_random_state();
  return {s.seed.load(std::memory_order_relaxed), s.next.fetch_add(1, std::memory_order_relaxed)};
}

}  // namespace detail

/// Starts the random ops of the process anew: those written from here on give the same elements
/// after the same seed, on every device, if they are written in the same order.
/// Thread: any, but ops written on several threads at once are numbered in no fixed order.
inline void set_seed(std::uint64_t seed) noexcept {
  detail::random_state& s = detail::the_random_state();
  s.seed.store(seed, std::memory_order_relaxed);
  s.next.store(0, std::memory_order_relaxed);
}

}  // namespace placement::inline v0_1
