#pragma once
/// A small lock for short critical sections: four bytes, no heavy header.

#include <placement/config.hpp>
#include <placement/version.hpp>

#include <atomic>

namespace placement::inline v0_1 {

/// A mutual exclusion; who finds it taken sleeps. Not recursive. Take it through lock_guard.
class lock {
 public:
  constexpr lock() noexcept = default;
  lock(lock const&) = delete;
  lock& operator=(lock const&) = delete;
  ~lock() = default;

  /// Before and after fork(), so that a child has it open, whoever held it. For nothing else.
  void hold_for_fork() noexcept { take(); }
  void after_fork() noexcept { leave(); }

 private:
  friend class lock_guard;

  static constexpr int open = 0, taken = 1, taken_and_wanted = 2;

  /// Without other threads nobody contends, and plain stores do; one that starts while the lock is
  /// held finds it taken.
  void take() noexcept {
    if (PLACEMENT_SINGLE_THREADED) return state_.store(taken, std::memory_order_relaxed);
    int seen = open;
    if (state_.compare_exchange_strong(seen, taken, std::memory_order_acquire)) return;
    while (state_.exchange(taken_and_wanted, std::memory_order_acquire) != open)
      state_.wait(taken_and_wanted, std::memory_order_relaxed);
  }
  void leave() noexcept {
    if (PLACEMENT_SINGLE_THREADED) return state_.store(open, std::memory_order_relaxed);
    if (state_.exchange(open, std::memory_order_release) == taken_and_wanted) state_.notify_one();
  }

  std::atomic<int> state_{open};
};

/// Holds a lock until the end of the block.
class [[nodiscard]] lock_guard {
 public:
  explicit lock_guard(lock& held) noexcept : held_(held) { held_.take(); }
  ~lock_guard() { held_.leave(); }
  lock_guard(lock_guard const&) = delete;
  lock_guard& operator=(lock_guard const&) = delete;

 private:
  lock& held_;
};

}  // namespace placement::inline v0_1
