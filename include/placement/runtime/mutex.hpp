#pragma once
/// pthread's mutex and condition variable as types: <mutex> and <condition_variable> take long to
/// parse.

#include <atomic>
#include <cstdint>

#include <pthread.h>
#include <sched.h>

namespace placement { inline namespace v0_1 { namespace detail {

/// A mutual exclusion lock that a condition variable can wait with. Not recursive. Lock it through
/// mutex_guard. Without a condition to wait for, `lock` is smaller.
class mutex {
 public:
  mutex() = default;
  mutex(mutex const&) = delete;
  mutex& operator=(mutex const&) = delete;
  ~mutex() { ::pthread_mutex_destroy(&handle_); }

 private:
  friend class mutex_guard;
  friend class condition_variable;

  pthread_mutex_t handle_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a mutex until the end of the block, except between unlock() and lock().
class [[nodiscard]] mutex_guard {
 public:
  explicit mutex_guard(mutex& held) noexcept : mutex_(held) { lock(); }
  ~mutex_guard() { unlock(); }
  mutex_guard(mutex_guard const&) = delete;
  mutex_guard& operator=(mutex_guard const&) = delete;

  void lock() noexcept { ::pthread_mutex_lock(&mutex_.handle_); }
  void unlock() noexcept { ::pthread_mutex_unlock(&mutex_.handle_); }

 private:
  friend class condition_variable;

  mutex& mutex_;
};

/// For spin_until_reached(): so many take some 80 microseconds on an idle processor.
inline constexpr int rounds_of_80_us = 64;
/// Spins until a monotonic count reaches a value, some microseconds for each round, and yields the
/// processor after each. To wake a sleeping thread takes 5 to 50 microseconds. May return before
/// the count is reached, so the caller tests it again. No lambda: nvcc and g++ mangle the members
/// of a lambda differently.
inline void spin_until_reached(std::atomic<std::uint64_t> const& count, std::uint64_t value,
                               int rounds = 2) noexcept {
  constexpr int looks = 4000;
  for (int round = 0; round != rounds; ++round) {
    for (int i = 0; i != looks; ++i)
      if (count.load(std::memory_order_acquire) >= value) return;
    ::sched_yield();
  }
}

/// Threads that wait for a change of the state that a mutex guards.
class condition_variable {
 public:
  condition_variable() = default;
  condition_variable(condition_variable const&) = delete;
  condition_variable& operator=(condition_variable const&) = delete;
  ~condition_variable() { ::pthread_cond_destroy(&handle_); }

  /// Unlocks the mutex, sleeps and locks it again. May return without a change (spurious wakeup).
  void wait(mutex_guard& held) noexcept { ::pthread_cond_wait(&handle_, &held.mutex_.handle_); }
  void notify_one() noexcept { ::pthread_cond_signal(&handle_); }
  void notify_all() noexcept { ::pthread_cond_broadcast(&handle_); }

 private:
  pthread_cond_t handle_ = PTHREAD_COND_INITIALIZER;
};

}}}  // namespace placement::v0_1::detail
