#pragma once
/// Ends a process that MPI does not return to, under PLACEMENT_TASKS_LIMIT.

#include <atomic>
#include <cstddef>
#include <cstdlib>

#include <pthread.h>
#include <time.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 { namespace detail {

/// Watches the calls of MPI from a thread of its own. A process that is stopped may keep the
/// others inside their calls of MPI, where they test no time limit.
class mpi_watchdog {
 public:
  /// Writes the line of the process to `line`. Returns its length.
  using describe = int (*)(void const* self, char* line, std::size_t size);

  /// seconds: the longest time of a call, before the process ends with status 1.
  mpi_watchdog(double seconds, describe f, void const* self)
      : seconds_(seconds), describe_(f), self_(self) {
    started_ = ::pthread_create(&thread_, nullptr, &run, this) == 0;
  }
  mpi_watchdog(mpi_watchdog const&) = delete;
  mpi_watchdog& operator=(mpi_watchdog const&) = delete;
  ~mpi_watchdog() {
    stops_.store(true);
    if (started_) ::pthread_join(thread_, nullptr);
  }

  /// A call begins, or ends. Calls within a call belong to it.
  void enter() noexcept {
    if (depth_++ == 0) since_.store(now());
  }
  void leave() noexcept {
    if (--depth_ == 0) since_.store(0);
  }

 private:
  static double now() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  static void* run(void* self) {
    static_cast<mpi_watchdog*>(self)->watch();
    return nullptr;
  }
  void watch() noexcept {
    timespec const pause{0, 50'000'000};
    while (!stops_.load()) {
      ::nanosleep(&pause, nullptr);
      double const since = since_.load();
      if (since != 0 && now() > since + seconds_) end();
    }
  }
  [[noreturn]] void end() noexcept {
    char line[512];
    int const n = describe_(self_, line, sizeof line);
    if (n > 0 && ::write(STDERR_FILENO, line, static_cast<std::size_t>(n)) < 0) std::_Exit(1);
    std::_Exit(1);
  }

  double const seconds_;
  describe const describe_;
  void const* const self_;
  int depth_ = 0;  ///< of the thread that calls MPI
  std::atomic<double> since_{0};
  std::atomic<bool> stops_{false};
  pthread_t thread_{};
  bool started_ = false;
};

/// A call of MPI, which the watchdog sees if there is one.
class watched_call {
 public:
  explicit watched_call(mpi_watchdog* by) noexcept : by_(by) {
    if (by_ != nullptr) by_->enter();
  }
  watched_call(watched_call const&) = delete;
  watched_call& operator=(watched_call const&) = delete;
  ~watched_call() {
    if (by_ != nullptr) by_->leave();
  }

 private:
  mpi_watchdog* const by_;
};

}}}  // namespace placement::v0_1::detail
