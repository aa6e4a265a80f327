#pragma once
/// A thread that does work in the order it was given: the queue of a simulated GPU.

#include <placement/device/lock.hpp>
#include <placement/device/platform.hpp>

#include <atomic>
#include <utility>

#include <pthread.h>

namespace placement::inline v0_1::detail {

/// Does pieces of work one at a time, in order, on a thread that is started for the first of them.
/// Thread: safe, but for stop().
class worker {
 public:
  worker() = default;
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;
  ~worker() { stop(); }

  /// All that was given so far.
  queue_mark given() const noexcept { return given_.load(std::memory_order_acquire); }
  bool has_done(queue_mark mark) const noexcept {
    return done_.load(std::memory_order_acquire) >= mark;
  }
  bool idle() const noexcept { return has_done(given()); }

  /// Takes the work over. Done at once where the system has no thread for it.
  void give(host_work* work) noexcept {
    if (queued(work)) return;
    finish(given());
    work->run();
    delete work;
  }
  /// Blocks until all work up to the mark is done.
  void finish(queue_mark mark) const noexcept {
    for (queue_mark seen = done_.load(std::memory_order_acquire); seen < mark;
         seen = done_.load(std::memory_order_acquire))
      done_.wait(seen, std::memory_order_acquire);
  }
  /// Finishes the work and ends the thread. Nobody gives work meanwhile; work that is given later
  /// starts another one.
  void stop() noexcept {
    if (!started_) return;
    stops_ = true;
    wake();
    ::pthread_join(thread_, nullptr);
    stops_ = started_ = false;
  }

 private:
  bool queued(host_work* work) noexcept {
    lock_guard const hold(lock_);
    if (!started_) started_ = ::pthread_create(&thread_, nullptr, start, this) == 0;
    if (!started_) return false;
    *last_ = work;
    last_ = &work->next;
    given_.fetch_add(1, std::memory_order_release);
    wake();
    return true;
  }
  host_work* taken() noexcept {
    lock_guard const hold(lock_);
    host_work* const first = first_;
    if (first == nullptr) return nullptr;
    first_ = first->next;
    if (first_ == nullptr) last_ = &first_;
    return first;
  }
  void wake() noexcept {
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_one();
  }

  static void* start(void* self) noexcept {
    static_cast<worker*>(self)->work();
    return nullptr;
  }
  void work() noexcept {
    for (;;) {
      unsigned const seen = calls_.load(std::memory_order_acquire);
      while (host_work* const now = taken()) {
        now->run();
        delete now;
        done_.fetch_add(1, std::memory_order_release);
        done_.notify_all();
      }
      if (stops_) return;
      calls_.wait(seen, std::memory_order_acquire);
    }
  }

  std::atomic<unsigned> calls_{0};  ///< changes when there is something to look for
  std::atomic<queue_mark> given_{0}, done_{0};
  std::atomic<bool> stops_{false};
  lock lock_;
  host_work* first_ = nullptr;
  host_work** last_ = &first_;
  bool started_ = false;
  pthread_t thread_{};
};

}  // namespace placement::inline v0_1::detail
