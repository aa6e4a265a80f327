#pragma once
/// GPUs do not survive fork(): in the child their use is an error, not a hang. What is of the host
/// does: a fork waits until nobody is changing it.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/device/lock.hpp>
#include <placement/error.hpp>

#include <atomic>
#include <string>

#include <pthread.h>

namespace placement::inline v0_1::detail {

/// Whether this process was forked from one that had opened its GPUs.
PLACEMENT_PROCESS_STATE inline constinit std::atomic<bool> forked_from_gpus{false};

/// Held while state of the process is made, so that no fork comes in between: the child would wait
/// for a thread that it does not have.
PLACEMENT_PROCESS_STATE inline constinit lock making_state{};

/// What holds the books of the pools still around a fork, once there are pools. Set while
/// making_state is held.
struct fork_care {
  void (*hold)() noexcept;
  void (*leave)() noexcept;
};
PLACEMENT_PROCESS_STATE inline constinit std::atomic<fork_care const*> care_of_pools{nullptr};

inline void before_fork() noexcept {
  making_state.hold_for_fork();
  if (fork_care const* const pools = care_of_pools.load(std::memory_order_acquire)) pools->hold();
}
inline void after_fork() noexcept {
  if (fork_care const* const pools = care_of_pools.load(std::memory_order_acquire)) pools->leave();
  making_state.after_fork();
}

/// From now on a child knows. Calling it again changes nothing.
PLACEMENT_PROCESS_STATE inline void watch_forks() {
  static int const watching = ::pthread_atfork(before_fork, after_fork, [] {
    forked_from_gpus.store(true, std::memory_order_relaxed);
    after_fork();
  });
  static_cast<void>(watching);
}

inline bool lost_by_fork(device d) noexcept {
  return d.is_gpu() && forked_from_gpus.load(std::memory_order_relaxed);
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_lost_by_fork(device d) {
  throw placement_error(
      "placement: " + to_string(d) +
      " cannot be used here: this process was forked from one that used a GPU, and "
      "GPUs do not survive fork(). Fork before the first op, or start a new "
      "program with exec.");
}

/// Throws: placement_error in a child of a process that had used a GPU.
inline void refuse_after_fork(device d) {
  if (lost_by_fork(d)) [[unlikely]]
    throw_lost_by_fork(d);
}

}  // namespace placement::inline v0_1::detail
