#pragma once
/// pthread's mutex and condition variable as types: <mutex> and <condition_variable> are heavy.

#include <placement/version.hpp>

#include <atomic>
#include <cstdint>

#include <pthread.h>
#include <sched.h>

namespace placement::inline v0_1::detail {

/// A mutual exclusion that a condition variable can wait with. Not recursive. Take it through
/// mutex_guard. Where nobody waits for a condition, `lock` is smaller.
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

/// Holds a mutex until the end of the block, but for what is between unlock() and lock().
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

/// Looks some microseconds whether a count that only grows has reached a value, then offers the
/// processor to other threads several times: to wake a thread that sleeps takes longer. Whether it
/// has is to be asked again. A function of no lambda, whose members nvcc and g++ name differently.
inline void spin_until_reached(std::atomic<std::uint64_t> const& count,
                               std::uint64_t value) noexcept {
  constexpr int looks = 4000, yields = 4;
  for (int i = 0; i != looks && count.load(std::memory_order_acquire) < value; ++i) continue;
  for (int i = 0; i != yields && count.load(std::memory_order_acquire) < value; ++i)
    ::sched_yield();
}

/// Threads that wait for a change of what a mutex guards.
class condition_variable {
 public:
  condition_variable() = default;
  condition_variable(condition_variable const&) = delete;
  condition_variable& operator=(condition_variable const&) = delete;
  ~condition_variable() { ::pthread_cond_destroy(&handle_); }

  /// Releases the mutex, sleeps and locks it again. May return although nothing changed.
  void wait(mutex_guard& held) noexcept { ::pthread_cond_wait(&handle_, &held.mutex_.handle_); }
  void notify_one() noexcept { ::pthread_cond_signal(&handle_); }
  void notify_all() noexcept { ::pthread_cond_broadcast(&handle_); }

 private:
  pthread_cond_t handle_ = PTHREAD_COND_INITIALIZER;
};

}  // namespace placement::inline v0_1::detail
