#pragma once
/// Definitions of parallel/tower_team.hpp: the threads of towers.

#include <placement/config.hpp>
#include <placement/parallel/tower_team.hpp>
#include <placement/runtime/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pthread.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 { namespace parallel { namespace detail {

/// Runs one function at a time on a thread of its own, which starts with the first one.
class tower_thread {
 public:
  tower_thread() = default;
  tower_thread(tower_thread const&) = delete;
  tower_thread& operator=(tower_thread const&) = delete;
  ~tower_thread() {
    if (!started_) return;
    {
      placement::detail::mutex_guard const guard(mutex_);
      stops_ = true;
      begun_.fetch_add(1, std::memory_order_release);
      has_work_.notify_one();
    }
    ::pthread_join(thread_, nullptr);
  }

  /// Calls f(work) on the thread. If the system cannot start a thread: on this one.
  void start(void (*f)(void*), void* work) {
    if (!exists()) return f(work);
    placement::detail::mutex_guard const guard(mutex_);
    function_ = f;
    work_ = work;
    begun_.fetch_add(1, std::memory_order_release);
    has_work_.notify_one();
  }
  /// Starts the thread. False: the system has none.
  bool exists() noexcept {
    if (!started_) started_ = ::pthread_create(&thread_, nullptr, &run_all, this) == 0;
    return started_;
  }
  void wait() noexcept {
    placement::detail::mutex_guard guard(mutex_);
    if (function_ != nullptr) spin(guard, ended_);
    while (function_ != nullptr) is_done_.wait(guard);
  }

 private:
  static void* run_all(void* self) {
    static_cast<tower_thread*>(self)->loop();
    return nullptr;
  }
  void loop() noexcept {
    placement::detail::mutex_guard guard(mutex_);
    for (;;) {
      if (function_ == nullptr && !stops_) spin(guard, begun_);
      while (function_ == nullptr && !stops_) has_work_.wait(guard);
      if (function_ == nullptr) return;
      guard.unlock();
      function_(work_);
      guard.lock();
      function_ = nullptr;
      ended_.fetch_add(1, std::memory_order_release);
      is_done_.notify_one();
    }
  }
  /// Releases the mutex and spins for some 80 microseconds until the count changes: a step follows
  /// another, and towers end at about the same time.
  static void spin(placement::detail::mutex_guard& guard,
                   std::atomic<std::uint64_t> const& count) noexcept {
    std::uint64_t const before = count.load(std::memory_order_relaxed);
    guard.unlock();
    placement::detail::spin_until_reached(count, before + 1, placement::detail::rounds_of_80_us);
    guard.lock();
  }

  placement::detail::mutex mutex_{};
  placement::detail::condition_variable has_work_{}, is_done_{};
  std::atomic<std::uint64_t> begun_{0}, ended_{0};  ///< for spin(); guarded writes
  void (*function_)(void*) = nullptr;
  void* work_ = nullptr;
  pthread_t thread_{};
  bool started_ = false, stops_ = false;
};

/// The threads of all towers but the first, whose function runs on the caller's thread.
class tower_team {
 public:
  tower_team() = default;
  tower_team(tower_team const&) = delete;
  tower_team& operator=(tower_team const&) = delete;
  ~tower_team() { forget_those_of_parent(); }

  /// Makes threads for so many towers.
  void reserve(std::size_t towers) {
    forget_those_of_parent();
    if (towers <= count_) return;
    threads_ = std::make_unique<tower_thread[]>(towers);
    count_ = towers;
    process_ = ::getpid();
  }
  tower_thread& thread(std::size_t tower) noexcept { return threads_[tower]; }
  /// Whether each tower but the first has a thread.
  bool is_complete(std::size_t towers) {
    reserve(towers);
    for (std::size_t i = 1; i != towers; ++i)
      if (!threads_[i].exists()) return false;
    return true;
  }

 private:
  /// The threads of a process do not exist in its child. Their memory is not freed there.
  void forget_those_of_parent() noexcept {
    if (!threads_ || process_ == ::getpid()) return;
    static_cast<void>(threads_.release());
    count_ = 0;
  }

  std::size_t count_ = 0;
  std::unique_ptr<tower_thread[]> threads_{};
  pid_t process_ = 0;
};

}}}}  // namespace placement::v0_1::parallel::detail
