#pragma once
/// Definitions: the random numbers of the process.

#include <placement/config.hpp>
#include <placement/ops/set_seed.hpp>

#include <atomic>
#include <cstdint>
#include <utility>

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

/// The innermost scope of this thread; null while the streams of the process count.
PLACEMENT_PROCESS_STATE inline constinit thread_local random_stream_scope* random_streams_here =
    nullptr;

/// Source: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (2014): SplitMix64.
inline std::uint64_t split_mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

PLACEMENT_INLINE std::uint64_t random_stream_scope::seed_of_part(random_stream from,
                                                                 std::uint64_t part) noexcept {
  return split_mix(split_mix(split_mix(from.seed) ^ from.number) ^ part);
}
PLACEMENT_INLINE random_stream_scope* random_stream_scope::replace_streams(
    random_stream_scope* by) noexcept {
  return std::exchange(random_streams_here, by);
}

PLACEMENT_INLINE random_stream next_random_stream() noexcept {
  if (random_streams_here != nullptr) return random_streams_here->next();
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
