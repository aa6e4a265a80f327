#pragma once
/// Definitions of fork.hpp: handlers that hold the host's locks around fork(), so that a child gets
/// consistent state.

#include <placement/config.hpp>
#include <placement/device/fork.hpp>
#include <placement/error.hpp>
#include <placement/runtime/lock.hpp>
#include <placement/src/device/device.ipp>

#include <atomic>
#include <string>

#include <pthread.h>

namespace placement { inline namespace v0_1 { namespace detail {

/// Held while process-wide state is created, so that no fork happens in between. A child would wait
/// for a creating thread that it does not have.
PLACEMENT_PROCESS_STATE inline constinit lock process_state_lock{};

/// Functions that lock and unlock the pools' allocator state around a fork. Set once there are
/// pools, under process_state_lock.
struct fork_handlers {
  void (*before)() noexcept;
  void (*after)() noexcept;
};
PLACEMENT_PROCESS_STATE inline constinit std::atomic<fork_handlers const*> pool_fork_handlers{
    nullptr};

inline void before_fork() noexcept {
  process_state_lock.lock_for_fork();
  if (fork_handlers const* const pools = pool_fork_handlers.load(std::memory_order_acquire))
    pools->before();
}
inline void after_fork() noexcept {
  if (fork_handlers const* const pools = pool_fork_handlers.load(std::memory_order_acquire))
    pools->after();
  process_state_lock.after_fork();
}

/// Installs the handlers that mark a child as forked. Later calls change nothing.
PLACEMENT_PROCESS_STATE inline void install_fork_handlers() {
  static int const watching = ::pthread_atfork(before_fork, after_fork, [] {
    forked_from_gpus.set(true);
    after_fork();
  });
  static_cast<void>(watching);
}

[[noreturn]] PLACEMENT_INLINE void throw_lost_by_fork(device d) {
  throw placement_error(
      "placement: " + to_string(d) +
      " cannot be used here: this process was forked from one that used a GPU, and "
      "GPUs do not survive fork(). Fork before the first op, or start a new "
      "program with exec.");
}

}}}  // namespace placement::v0_1::detail
