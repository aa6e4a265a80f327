#pragma once
/// The progress of a stream, known by events after some of its work. An event after each launch
/// would cost more than a small kernel.

#include <placement/cuda/event_pool.cuh>
#include <placement/device/platform.hpp>
#include <placement/runtime/lock.hpp>

#include <cstddef>

namespace placement { inline namespace v0_1 { namespace cuda {

/// Keeps the latest of these events. An event that is recorded again passes later, so a wait for it
/// may last longer than needed.
/// Thread: safe.
class stream_timeline {
 public:
  /// The least and the most launches or copies between two events. The distance doubles with each
  /// event, because an event costs as much host time as a launch. A wait for an event resets it.
  static constexpr timeline_point least_distance = 8, most_distance = 64;

  explicit stream_timeline(event_pool& events) noexcept : events_(events) {}
  ~stream_timeline() { release(); }
  stream_timeline(stream_timeline const&) = delete;
  stream_timeline& operator=(stream_timeline const&) = delete;

  bool is_due(timeline_point point) const noexcept {
    lock_guard const guard(guard_);
    return point - last_ >= distance_;
  }
  /// Calls `record(event)` to record an event after all work so far. Throws: what `record` throws.
  template <class Record> void add(timeline_point point, Record record) {
    lock_guard const guard(guard_);
    entry& oldest = all_[next_ % count];
    if (oldest.passed == nullptr) oldest.passed = events_.acquire();
    oldest.point = 0;
    record(oldest.passed->handle);
    oldest.point = last_ = point;
    ++next_;
    if (distance_ < most_distance) distance_ *= 2;
  }
  /// Calls `use(event)` with the earliest known event at or after a timeline point. Returns false
  /// if there is none. Throws: what `use` throws.
  template <class Use> bool use(timeline_point point, Use use) {
    lock_guard const guard(guard_);
    distance_ = least_distance;
    entry const* best = nullptr;
    for (entry const& e : all_)
      if (e.point >= point && e.point != 0 && (best == nullptr || e.point < best->point)) best = &e;
    if (best == nullptr) return false;
    use(best->passed->handle);
    return true;
  }
  /// Returns the events to their pool. All work must be done.
  void release() noexcept {
    lock_guard const guard(guard_);
    for (entry& e : all_) {
      if (e.passed != nullptr) event_pool::recycle(e.passed);
      e = {};
    }
  }

 private:
  static constexpr std::size_t count = 16;
  struct entry {
    event_pool::one* passed = nullptr;
    timeline_point point = 0;  ///< 0 = not recorded
  };

  event_pool& events_;
  entry all_[count];
  std::size_t next_ = 0;
  timeline_point last_ = 0, distance_ = least_distance;
  mutable lock guard_;
};

}}}  // namespace placement::v0_1::cuda
