#pragma once
/// GPUs do not survive fork(): in the child their use is an error, not a hang.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/error.hpp>

#include <atomic>
#include <string>

#include <pthread.h>

namespace placement::inline v0_1::detail {

/// Whether this process was forked from one that had opened its GPUs.
PLACEMENT_PROCESS_STATE inline constinit std::atomic<bool> forked_from_gpus{false};

/// From now on a child knows. Calling it again changes nothing.
PLACEMENT_PROCESS_STATE inline void watch_forks() {
  static int const watching = ::pthread_atfork(
      nullptr, nullptr, [] { forked_from_gpus.store(true, std::memory_order_relaxed); });
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
