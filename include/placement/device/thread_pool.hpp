#pragma once
/// placement's own executor: threads that wait for the parts of one kernel at a time.

#include <placement/device/executor.hpp>

#include <atomic>
#include <csignal>
#include <cstdint>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace placement::inline v0_1::detail {

/// How many processors this process may use.
inline int usable_processors() noexcept {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  long const online = ::sysconf(_SC_NPROCESSORS_ONLN);  // more than the set has room for
  return online > 0 ? static_cast<int>(online) : 1;
}

/// Parts are claimed one by one, so that a slow thread gets fewer. Whoever finds the threads busy
/// does its parts itself: there are never more threads at work than asked for. Lives for ever: its
/// threads wait until the process ends.
class thread_pool final : public executor {
 public:
  explicit thread_pool(int threads) noexcept : threads_(threads) {}

  /// Whether it was made in this process, and not in one that this was forked from.
  bool is_ours() const noexcept { return process_ == ::getpid(); }

  int threads() noexcept override { return threads_; }

  void run(int count, part each, void* work) noexcept override {
    if (count <= 1 || threads_ == 1 || busy_.exchange(true, std::memory_order_acquire)) {
      for (int i = 0; i < count; ++i) each(work, i);
      return;
    }
    start_threads();
    each_.store(each, std::memory_order_relaxed);
    work_.store(work, std::memory_order_relaxed);
    count_.store(count, std::memory_order_relaxed);
    left_.store(count, std::memory_order_relaxed);
    std::uint64_t const round = (next_.load(std::memory_order_relaxed) >> 32) + 1;
    next_.store(round << 32, std::memory_order_release);
    next_.notify_all();
    help(round);
    for (int left = left_.load(std::memory_order_acquire); left != 0;
         left = left_.load(std::memory_order_acquire))
      left_.wait(left, std::memory_order_acquire);
    busy_.store(false, std::memory_order_release);
  }

 private:
  /// Does parts of a round until none is left to claim.
  void help(std::uint64_t round) noexcept {
    std::uint64_t claimed = next_.load(std::memory_order_acquire);
    for (;;) {
      if (claimed >> 32 != round) return;
      // Read before the claim: where the claim holds, so does the round, and what belongs to it.
      part const each = each_.load(std::memory_order_relaxed);
      void* const work = work_.load(std::memory_order_relaxed);
      auto const number = static_cast<int>(claimed & 0xffffffff);
      if (number >= count_.load(std::memory_order_relaxed)) return;
      if (!next_.compare_exchange_weak(claimed, claimed + 1, std::memory_order_acq_rel,
                                       std::memory_order_acquire))
        continue;
      each(work, number);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_all();
      claimed = next_.load(std::memory_order_acquire);
    }
  }

  /// As many as the system gives.
  void start_threads() noexcept {
    if (started_) return;
    started_ = true;
    sigset_t all, before;
    ::sigfillset(&all);  // signals are the program's own threads' matter
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 1; i < threads_; ++i) {
      pthread_t thread{};
      if (::pthread_create(&thread, nullptr, work_for, this) != 0) break;
      ::pthread_detach(thread);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  static void* work_for(void* self) noexcept {
    static_cast<thread_pool*>(self)->wait_and_help();
    return nullptr;
  }
  [[noreturn]] void wait_and_help() noexcept {
    std::uint64_t seen = 0;
    for (;;) {
      next_.wait(seen, std::memory_order_acquire);
      seen = next_.load(std::memory_order_acquire);
      help(seen >> 32);
      seen = rested(next_.load(std::memory_order_acquire));
    }
  }
  /// Looks for another round for a moment before it sleeps: often one kernel follows another.
  std::uint64_t rested(std::uint64_t seen) const noexcept {
    std::uint64_t now = seen;
    for (int i = 0; i != looks_before_sleep && now >> 32 == seen >> 32; ++i)
      now = next_.load(std::memory_order_acquire);
    return now >> 32 == seen >> 32 ? now : 0;
  }

  static constexpr int looks_before_sleep = 4000;  // some microseconds

  int const threads_;
  pid_t const process_ = ::getpid();
  bool started_ = false;  ///< of who has `busy_`
  std::atomic<bool> busy_{false};
  std::atomic<std::uint64_t> next_{0};  ///< the round, and the next part to be claimed
  std::atomic<part> each_{nullptr};
  std::atomic<void*> work_{nullptr};
  std::atomic<int> count_{0}, left_{0};
};

}  // namespace placement::inline v0_1::detail
