#pragma once
/// How far a stream has come, known by events behind some of its work: not behind each, which would
/// cost more than a small kernel.

#include <placement/cuda/event_pool.cuh>
#include <placement/device/lock.hpp>
#include <placement/device/platform.hpp>

#include <cstddef>

namespace placement::inline v0_1::cuda {

/// The latest of these events. An event that is recorded anew passes later: who waits for it waits
/// for more than was asked. Thread: safe.
class stream_marks {
 public:
  /// So many pieces of work may go by without an event.
  static constexpr queue_mark distance = 8;

  explicit stream_marks(event_pool& events) noexcept : events_(events) {}
  ~stream_marks() { release(); }
  stream_marks(stream_marks const&) = delete;
  stream_marks& operator=(stream_marks const&) = delete;

  bool is_due(queue_mark given) const noexcept {
    lock_guard const hold(guard_);
    return given - last_ >= distance;
  }
  /// Lets record(event) put an event behind all that was given so far. Throws: what it throws.
  template <class Record> void add(queue_mark given, Record record) {
    lock_guard const hold(guard_);
    entry& oldest = all_[next_ % count];
    if (oldest.passed == nullptr) oldest.passed = events_.take();
    oldest.given = 0;
    record(oldest.passed->handle);
    oldest.given = last_ = given;
    ++next_;
  }
  /// Calls use(event) with the first known event that passes once the mark has; false where there
  /// is none. Throws: what it throws.
  template <class Use> bool use(queue_mark mark, Use use) {
    lock_guard const hold(guard_);
    entry const* best = nullptr;
    for (entry const& e : all_)
      if (e.given >= mark && e.given != 0 && (best == nullptr || e.given < best->given)) best = &e;
    if (best == nullptr) return false;
    use(best->passed->handle);
    return true;
  }
  /// All is done: gives the events back.
  void release() noexcept {
    lock_guard const hold(guard_);
    for (entry& e : all_) {
      if (e.passed != nullptr) event_pool::give(e.passed);
      e = {};
    }
  }

 private:
  static constexpr std::size_t count = 16;
  struct entry {
    event_pool::one* passed = nullptr;
    queue_mark given = 0;  ///< 0 = not recorded
  };

  event_pool& events_;
  entry all_[count];
  std::size_t next_ = 0;
  queue_mark last_ = 0;
  mutable lock guard_;
};

}  // namespace placement::inline v0_1::cuda
