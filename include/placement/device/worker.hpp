#pragma once
/// A thread that runs work in the order of enqueue() calls: the queue of a simulated GPU.

#include <placement/config.hpp>
#include <placement/device/platform.hpp>
#include <placement/device/work_tracer.hpp>
#include <placement/runtime/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace placement { inline namespace v0_1 { namespace detail {

/// The limits of a queue. An empty queue accepts any work.
struct queue_limits {
  std::size_t count = ~std::size_t{0};
  std::size_t bytes = ~std::size_t{0};  ///< host memory that the work keeps
};

/// Whether this thread runs the work of a queue. Such a thread must not block on a full queue: the
/// queues may wait for each other.
PLACEMENT_PROCESS_STATE inline constinit thread_local bool is_worker_thread = false;

/// Runs work one piece at a time, in order, on a thread that starts with the first piece. If the
/// system cannot start a thread, the caller runs the work. Thread: safe, except stop().
class worker {
 public:
  worker() = default;
  explicit worker(queue_limits max) noexcept : max_(max) {}
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;
  ~worker() { stop(); }

  /// The timeline point after all work enqueued so far.
  timeline_point last_point() const noexcept { return enqueued_.load(std::memory_order_acquire); }
  bool has_done(timeline_point point) const noexcept {
    return done_.load(std::memory_order_acquire) >= point;
  }
  bool idle() const noexcept { return has_done(last_point()); }
  /// The number of pieces of work that wait or run.
  std::size_t count() const noexcept {
    timeline_point const done = done_.load(std::memory_order_acquire);
    return last_point() - done;
  }
  /// The host memory that they keep.
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  /// The number of threads that wait for space in the queue.
  std::size_t blocked() const noexcept {
    mutex_guard const guard(mutex_);
    return tickets_ - served_;
  }

  /// Takes ownership of the work. Blocks while the queue is full or earlier callers wait: threads
  /// get space in the order of their calls. A worker thread never blocks. Do not hold a lock that
  /// enqueued work needs.
  void enqueue(host_work* work) noexcept {
    put(work, is_worker_thread ? when_full::exceed : when_full::wait);
  }
  /// The same, but never blocks: for small work, of callers that hold a lock.
  void append(host_work* work) noexcept { put(work, when_full::exceed); }
  /// Blocks until all work up to the timeline point is done.
  void wait_for_point(timeline_point point) const noexcept {
    if (has_done(point)) return;
    traced_wait const traced("for work of a GPU");
    spin_until_reached(done_, point);
    mutex_guard guard(mutex_);
    while (!has_done(point)) {
      if (point < awaited_) awaited_ = point;
      is_done_.wait(guard);
    }
  }
  /// Finishes the work and ends the thread. Other threads must not enqueue meanwhile. Work enqueued
  /// later starts a new thread.
  void stop() noexcept {
    if (!started_) return;
    {
      mutex_guard const guard(mutex_);
      stops_ = true;
      has_work_.notify_one();
    }
    ::pthread_join(thread_, nullptr);
    stops_ = started_ = false;
  }

 private:
  enum class when_full { wait, exceed };

  bool fits(std::size_t bytes) const noexcept {
    std::size_t const waiting = count();
    std::size_t const work_bytes = this->bytes();
    return waiting == 0 ||
           (waiting < max_.count && work_bytes <= max_.bytes && bytes <= max_.bytes - work_bytes);
  }
  bool is_half_empty() const noexcept {
    return count() <= max_.count / 2 && bytes() <= max_.bytes / 2;
  }
  /// First come, first served: a thread that enqueues in a loop does not starve others. A full
  /// queue drains to half first; otherwise each piece of work would wake a thread.
  void wait_until_fits(mutex_guard& guard, std::size_t bytes) noexcept {
    if (tickets_ == served_ && fits(bytes)) return;
    traced_wait const traced("for space in the queue of a GPU");
    std::uint64_t const ticket = tickets_++;
    for (;;) {
      bool const is_next = ticket == served_ && !drains_;
      if (is_next && fits(bytes)) break;
      drains_ = drains_ || is_next;
      has_space_.wait(guard);
    }
    ++served_;
    if (tickets_ != served_) has_space_.notify_all();  // there may be space for the next one, too
  }
  void put(host_work* work, when_full then) noexcept {
    bool is_queued = false;
    {
      mutex_guard guard(mutex_);
      if (then == when_full::wait) wait_until_fits(guard, work->bytes());
      is_queued = push(work);
    }
    if (is_queued) return has_work_.notify_one();
    work->run_traced();
    delete work;
  }
  /// False if there is no thread for the work.
  bool push(host_work* work) noexcept {
    if (!started_) started_ = ::pthread_create(&thread_, nullptr, run_all_of, this) == 0;
    if (!started_) return false;
    *last_ = work;
    last_ = &work->next;
    bytes_.fetch_add(work->bytes(), std::memory_order_relaxed);
    enqueued_.fetch_add(1, std::memory_order_release);
    return true;
  }
  host_work* pop() noexcept {
    host_work* const first = first_;
    first_ = first->next;
    if (first_ == nullptr) last_ = &first_;
    return first;
  }

  static void* run_all_of(void* self) noexcept {
    static_cast<worker*>(self)->run_all();
    return nullptr;
  }
  void run_all() noexcept {
    is_worker_thread = true;
    mutex_guard guard(mutex_);
    for (;;) {
      if (first_ == nullptr) await_work(guard);
      if (first_ == nullptr) return;
      host_work* const now = pop();
      guard.unlock();
      std::size_t const work_bytes = now->bytes();
      now->run_traced();
      delete now;
      guard.lock();
      count_done(work_bytes);
    }
  }
  void await_work(mutex_guard& guard) noexcept {
    timeline_point const before = last_point();
    guard.unlock();
    spin_until_reached(enqueued_, before + 1);
    guard.lock();
    while (first_ == nullptr && !stops_) has_work_.wait(guard);
  }
  void count_done(std::size_t work_bytes) noexcept {
    bytes_.fetch_sub(work_bytes, std::memory_order_relaxed);
    timeline_point const done = done_.fetch_add(1, std::memory_order_release) + 1;
    if (done >= awaited_) {
      awaited_ = nobody;
      is_done_.notify_all();
    }
    if (drains_ && is_half_empty()) {
      drains_ = false;
      has_space_.notify_all();
    }
  }

  static constexpr timeline_point nobody = ~timeline_point{0};

  queue_limits const max_;
  mutable mutex mutex_;  ///< guards the other members; atomics are written under it
  mutable condition_variable has_work_, has_space_, is_done_;
  std::atomic<timeline_point> enqueued_{0}, done_{0};
  std::atomic<std::size_t> bytes_{0};
  mutable timeline_point awaited_ = nobody;  ///< the earliest point that a thread waits for
  std::uint64_t tickets_ = 0, served_ = 0;   ///< of threads that waited for space
  host_work* first_ = nullptr;
  host_work** last_ = &first_;
  bool drains_ = false;  ///< the first waiting thread found the queue full
  bool started_ = false, stops_ = false;
  pthread_t thread_{};
};

}}}  // namespace placement::v0_1::detail
