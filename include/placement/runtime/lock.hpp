#pragma once
/// A small lock for short critical sections: four bytes, without the cost of <mutex>.

#include <placement/config.hpp>

#include <atomic>

namespace placement { inline namespace v0_1 {

/// A mutual exclusion lock. A thread that finds it locked sleeps. Not recursive. Lock it through
/// lock_guard.
class lock {
 public:
  constexpr lock() noexcept = default;
  lock(lock const&) = delete;
  lock& operator=(lock const&) = delete;
  ~lock() = default;

  /// For fork handlers only. Locks before fork(), unlocks after it, so that a child finds the lock
  /// free.
  void lock_for_fork() noexcept { acquire(); }
  void after_fork() noexcept { release(); }

 private:
  friend class lock_guard;

  static constexpr int unlocked = 0, locked = 1, contended = 2;

  /// In a process with one thread there is no contention, so plain stores suffice. A thread that
  /// starts while the lock is held finds it locked.
  void acquire() noexcept {
    if (PLACEMENT_SINGLE_THREADED) return state_.store(locked, std::memory_order_relaxed);
    int seen = unlocked;
    if (state_.compare_exchange_strong(seen, locked, std::memory_order_acquire)) return;
    while (state_.exchange(contended, std::memory_order_acquire) != unlocked)
      state_.wait(contended, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (PLACEMENT_SINGLE_THREADED) return state_.store(unlocked, std::memory_order_relaxed);
    if (state_.exchange(unlocked, std::memory_order_release) == contended) state_.notify_one();
  }

  std::atomic<int> state_{unlocked};
};

/// Holds a lock until the end of the block.
class [[nodiscard]] lock_guard {
 public:
  explicit lock_guard(lock& mutex_lock) noexcept : lock_(mutex_lock) { lock_.acquire(); }
  ~lock_guard() { lock_.release(); }
  lock_guard(lock_guard const&) = delete;
  lock_guard& operator=(lock_guard const&) = delete;

 private:
  lock& lock_;
};

}}  // namespace placement::v0_1
