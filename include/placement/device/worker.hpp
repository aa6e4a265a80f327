#pragma once
/// A thread that runs work in the order in which it was enqueued: the queue of a simulated GPU.

#include <placement/config.hpp>
#include <placement/device/mutex.hpp>
#include <placement/device/platform.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace placement::inline v0_1::detail {

/// How much may wait in a queue. One piece of work always may.
struct queue_limits {
  std::size_t count = ~std::size_t{0};
  std::size_t bytes = ~std::size_t{0};  ///< host memory that the work keeps
};

/// Whether this thread runs the work of a queue. It must not wait for room in any: that queue may
/// wait for its own.
PLACEMENT_PROCESS_STATE inline constinit thread_local bool is_worker_thread = false;

/// Runs work one piece at a time, in order, on a thread that is started for the first of it. Where
/// the system has no thread, the caller runs it. Thread: safe, but for stop().
class worker {
 public:
  worker() = default;
  explicit worker(queue_limits most) noexcept : most_(most) {}
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;
  ~worker() { stop(); }

  /// All that was enqueued so far.
  queue_mark given() const noexcept { return given_.load(std::memory_order_acquire); }
  bool has_done(queue_mark mark) const noexcept {
    return done_.load(std::memory_order_acquire) >= mark;
  }
  bool idle() const noexcept { return has_done(given()); }
  /// How many pieces of work wait or run.
  std::size_t count() const noexcept {
    queue_mark const done = done_.load(std::memory_order_acquire);
    return given() - done;
  }
  /// Host memory that they keep.
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  /// How many threads wait for room.
  std::size_t blocked() const noexcept {
    mutex_guard const held(mutex_);
    return tickets_ - served_;
  }

  /// Takes the work over. Blocks while the queue is full, and others came first: threads get room
  /// in the order of their calls. A worker thread never blocks. Hold no lock here that work needs.
  void enqueue(host_work* work) noexcept {
    put(work, is_worker_thread ? when_full::exceed : when_full::wait);
  }
  /// The same, and never blocks: for little work, of callers that hold a lock.
  void append(host_work* work) noexcept { put(work, when_full::exceed); }
  /// Blocks until all work up to the mark is done.
  void finish(queue_mark mark) const noexcept {
    if (has_done(mark)) return;
    spin_until_reached(done_, mark);
    mutex_guard held(mutex_);
    while (!has_done(mark)) {
      if (mark < awaited_) awaited_ = mark;
      is_done_.wait(held);
    }
  }
  /// Finishes the work and ends the thread. Nobody enqueues meanwhile; work that is enqueued later
  /// starts another one.
  void stop() noexcept {
    if (!started_) return;
    {
      mutex_guard const held(mutex_);
      stops_ = true;
      has_work_.notify_one();
    }
    ::pthread_join(thread_, nullptr);
    stops_ = started_ = false;
  }

 private:
  enum class when_full { wait, exceed };

  bool has_room(std::size_t bytes) const noexcept {
    std::size_t const waiting = count();
    std::size_t const kept = this->bytes();
    return waiting == 0 ||
           (waiting < most_.count && kept <= most_.bytes && bytes <= most_.bytes - kept);
  }
  bool is_half_empty() const noexcept {
    return count() <= most_.count / 2 && bytes() <= most_.bytes / 2;
  }
  /// First come, first served: a thread that enqueues in a loop does not shut others out. A full
  /// queue drains to its half first, or each piece of work would wake a thread.
  void wait_for_room(mutex_guard& held, std::size_t bytes) noexcept {
    if (tickets_ == served_ && has_room(bytes)) return;
    std::uint64_t const ticket = tickets_++;
    for (;;) {
      bool const is_next = ticket == served_ && !drains_;
      if (is_next && has_room(bytes)) break;
      drains_ = drains_ || is_next;
      has_room_.wait(held);
    }
    ++served_;
    if (tickets_ != served_) has_room_.notify_all();  // the next one may have room, too
  }
  void put(host_work* work, when_full then) noexcept {
    bool is_queued = false;
    {
      mutex_guard held(mutex_);
      if (then == when_full::wait) wait_for_room(held, work->bytes());
      is_queued = push(work);
    }
    if (is_queued) return has_work_.notify_one();
    work->run();
    delete work;
  }
  /// False where there is no thread for the work.
  bool push(host_work* work) noexcept {
    if (!started_) started_ = ::pthread_create(&thread_, nullptr, run_all_of, this) == 0;
    if (!started_) return false;
    *last_ = work;
    last_ = &work->next;
    bytes_.fetch_add(work->bytes(), std::memory_order_relaxed);
    given_.fetch_add(1, std::memory_order_release);
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
    mutex_guard held(mutex_);
    for (;;) {
      if (first_ == nullptr) await_work(held);
      if (first_ == nullptr) return;
      host_work* const now = pop();
      held.unlock();
      std::size_t const kept = now->bytes();
      now->run();
      delete now;
      held.lock();
      count_done(kept);
    }
  }
  void await_work(mutex_guard& held) noexcept {
    queue_mark const before = given();
    held.unlock();
    spin_until_reached(given_, before + 1);
    held.lock();
    while (first_ == nullptr && !stops_) has_work_.wait(held);
  }
  void count_done(std::size_t kept) noexcept {
    bytes_.fetch_sub(kept, std::memory_order_relaxed);
    queue_mark const done = done_.fetch_add(1, std::memory_order_release) + 1;
    if (done >= awaited_) {
      awaited_ = nobody;
      is_done_.notify_all();
    }
    if (drains_ && is_half_empty()) {
      drains_ = false;
      has_room_.notify_all();
    }
  }

  static constexpr queue_mark nobody = ~queue_mark{0};

  queue_limits const most_;
  mutable mutex mutex_;  ///< guards all that is not atomic; what is atomic is written under it
  mutable condition_variable has_work_, has_room_, is_done_;
  std::atomic<queue_mark> given_{0}, done_{0};
  std::atomic<std::size_t> bytes_{0};
  mutable queue_mark awaited_ = nobody;     ///< the first mark that a thread waits for
  std::uint64_t tickets_ = 0, served_ = 0;  ///< of threads that wait, or waited, for room
  host_work* first_ = nullptr;
  host_work** last_ = &first_;
  bool drains_ = false;  ///< found full by the next thread in line
  bool started_ = false, stops_ = false;
  pthread_t thread_{};
};

}  // namespace placement::inline v0_1::detail
