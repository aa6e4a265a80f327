#pragma once
/// placement's own executor: a parallel_for over worker threads, for one call at a time.

#include <placement/runtime/executor.hpp>
#include <placement/runtime/mutex.hpp>

#include <atomic>
#include <csignal>
#include <cstdint>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 { namespace detail {

/// The number of processors that this process may use.
inline int usable_processors() noexcept {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  long const online = ::sysconf(_SC_NPROCESSORS_ONLN);  // for more processors than cpu_set_t holds
  return online > 0 ? static_cast<int>(online) : 1;
}

/// Threads claim chunks one by one, so a slow thread runs fewer of them. The caller's thread runs
/// chunks, too. A run() during another run(), nested or from another thread, runs all its chunks
/// itself. So no more threads work than requested. Lives for ever: its workers wait until the
/// process ends.
/// Thread: safe. Cost: a claim locks a mutex; a round wakes at most one worker per chunk.
class thread_pool final : public executor {
 public:
  explicit thread_pool(int threads) noexcept : threads_(threads) {}

  /// Whether the pool was created in this process, not in its parent before a fork.
  bool is_ours() const noexcept { return process_ == ::getpid(); }

  int threads() noexcept override { return threads_; }

  void run(int count, chunk each, void* work) noexcept override {
    if (count <= 1 || threads_ == 1 || !begin_round(count, each, work)) {
      for (int i = 0; i < count; ++i) each(work, i);
      return;
    }
    mutex_guard held(mutex_);
    run_chunks(held);
    wait_for_round(held);
    running_ = false;
  }

 private:
  /// The state of one run(). The next round begins when all chunks of this one are claimed and
  /// done.
  struct round {
    chunk each = nullptr;
    void* work = nullptr;
    int chunks = 0;      ///< numbered from 0
    int next = 0;        ///< the first unclaimed chunk
    int unfinished = 0;  ///< chunks not done yet, claimed or not
  };

  /// Publishes a round and wakes workers for it; false while another round runs.
  bool begin_round(int count, chunk each, void* work) noexcept {
    int sleeping = 0;
    {
      mutex_guard const held(mutex_);
      if (running_) return false;
      running_ = true;
      start_workers();
      round_ = {each, work, count, 0, count};
      rounds_begun_.fetch_add(1, std::memory_order_relaxed);
      sleeping = sleeping_;
    }
    wake(count - 1, sleeping);
    return true;
  }
  /// Called without the mutex, as woken workers would wait for it again.
  void wake(int wanted, int sleeping) noexcept {
    if (wanted >= sleeping) return has_chunks_.notify_all();
    for (int i = 0; i != wanted; ++i) has_chunks_.notify_one();
  }

  /// Claims and runs chunks until none is left. The mutex is held on entry and exit, but not while
  /// a chunk runs.
  void run_chunks(mutex_guard& held) noexcept {
    while (round_.next != round_.chunks) {
      round const now = round_;
      ++round_.next;
      held.unlock();
      now.each(now.work, now.next);
      held.lock();
      if (--round_.unfinished != 0) continue;
      rounds_ended_.fetch_add(1, std::memory_order_relaxed);
      is_finished_.notify_one();  // only the caller waits for it
    }
  }

  /// Waits for the chunks that workers have claimed.
  void wait_for_round(mutex_guard& held) noexcept {
    if (round_.unfinished == 0) return;
    spin(held, rounds_ended_);
    while (round_.unfinished != 0) is_finished_.wait(held);
  }

  [[noreturn]] void work() noexcept {
    mutex_guard held(mutex_);
    for (;;) {
      run_chunks(held);
      spin(held, rounds_begun_);
      ++sleeping_;
      while (round_.next == round_.chunks) has_chunks_.wait(held);
      --sleeping_;
    }
  }

  /// Releases the mutex and spins for some 80 microseconds until the count changes: often one
  /// kernel follows another, with small ones between them. The result decides nothing; callers read
  /// the state under the mutex afterwards.
  static void spin(mutex_guard& held, std::atomic<std::uint64_t> const& count) noexcept {
    std::uint64_t const before = count.load(std::memory_order_relaxed);
    held.unlock();
    spin_until_reached(count, before + 1, rounds_of_80_us);
    held.lock();
  }

  /// Starts as many workers as the system allows. The mutex is held.
  void start_workers() noexcept {
    if (started_) return;
    started_ = true;
    sigset_t all, before;
    ::sigfillset(&all);  // signals are handled by the program's own threads
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 1; i < threads_; ++i) {
      pthread_t thread{};
      if (::pthread_create(&thread, nullptr, work_for, this) != 0) break;
      ::pthread_detach(thread);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  static void* work_for(void* self) noexcept {
    static_cast<thread_pool*>(self)->work();
    return nullptr;
  }

  int const threads_;
  pid_t const process_ = ::getpid();
  mutex mutex_;
  condition_variable has_chunks_, is_finished_;
  round round_;           ///< guarded by mutex_, as are the next three
  bool running_ = false;  ///< from begin_round() until the caller has seen the round end
  bool started_ = false;
  int sleeping_ = 0;                                              ///< workers that wait for chunks
  std::atomic<std::uint64_t> rounds_begun_{0}, rounds_ended_{0};  ///< for spin(); guarded writes
};

}}}  // namespace placement::v0_1::detail
