#pragma once
/// Where the random ops of a program take their numbers from.

#include <placement/math/philox.hpp>

#include <cstdint>

namespace placement { inline namespace v0_1 {

namespace detail {

/// The stream of a random op that is being written: its number is drawn now, so that the same node
/// gives the same elements each time it is evaluated, and two nodes give different ones.
random_stream next_random_stream() noexcept;

/// The random ops that this thread writes while the object lives have streams of their own. They
/// follow from the stream `from` and the number `part`.
class random_stream_scope {
 public:
  random_stream_scope(random_stream from, std::uint64_t part) noexcept
      : seed_(seed_of_part(from, part)), outer_(replace_streams(this)) {}
  ~random_stream_scope() { replace_streams(outer_); }
  random_stream_scope(random_stream_scope const&) = delete;
  random_stream_scope& operator=(random_stream_scope const&) = delete;

  random_stream next() noexcept { return {seed_, next_++}; }

 private:
  static std::uint64_t seed_of_part(random_stream from, std::uint64_t part) noexcept;
  /// Sets the scope of this thread. Returns the one before.
  static random_stream_scope* replace_streams(random_stream_scope* by) noexcept;

  std::uint64_t seed_, next_ = 0;
  random_stream_scope* outer_;
};

}  // namespace detail

/// The state of the random ops of a process: the seed, and the number of the next op. A checkpoint
/// keeps it.
struct random_state {
  std::uint64_t seed = 0;
  std::uint64_t next = 0;

  friend bool operator==(random_state const&, random_state const&) = default;
};
/// The state now.
random_state current_random_state() noexcept;
/// The random ops written from here on give the elements that they gave after this state.
/// Thread: as set_seed.
void set_random_state(random_state const& state) noexcept;

/// Starts the random ops of the process anew: those written from here on give the same elements
/// after the same seed, on every device, if they are written in the same order.
/// Thread: any, but ops written on several threads at once are numbered in no fixed order.
void set_seed(std::uint64_t seed) noexcept;

}}  // namespace placement::v0_1
