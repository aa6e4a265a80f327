#pragma once
/// The work queue of a GPU: a CUDA stream, which the caller's stream can replace.

#include <placement/cuda/cuda_device.cuh>
#include <placement/cuda/event_pool.cuh>
#include <placement/cuda/recorded_work.cuh>
#include <placement/cuda/staging.cuh>
#include <placement/cuda/stream_timeline.cuh>
#include <placement/device/logical_device.hpp>
#include <placement/device/platform.hpp>
#include <placement/runtime/lock.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace placement { inline namespace v0_1 { namespace cuda {

/// The queue of one logical device. Streams are created at the first use, also after close().
/// Thread: safe, except for recording, which needs exclusive use.
class work_queue {
 public:
  work_queue(cuda_device& owner, event_pool& events) noexcept
      : owner_(owner), events_(events), staging_(owner, events), timeline_(events) {}
  work_queue(work_queue const&) = delete;
  work_queue& operator=(work_queue const&) = delete;

  cuda_device& device() const noexcept { return owner_; }

  /// The stream that runs the queue's work. The device is current on this thread afterwards.
  /// Throws: placement_error.
  CUstream stream() {
    owner_.make_current();
    CUstream const now = current_.load(std::memory_order_acquire);
    return now != nullptr ? now : open();
  }
  /// Waits for the work and frees all resources, as far as the device still can.
  void close() noexcept;

  // ---- work

  /// Enqueues a copy to the device; all of `from` has been read on return. `pinned`: the GPU can
  /// access the host memory.
  void copy_in(CUdeviceptr to, void const* from, std::size_t bytes, bool pinned);
  /// Copies to the host a block that was complete at a timeline point, and waits for the copy.
  void copy_out(void* to, CUdeviceptr from, std::size_t bytes, bool pinned,
                timeline_point complete);
  /// Allocates from the driver's stream-ordered allocator. While recording, another stream
  /// allocates and the host waits for it, because a recorded allocation is part of its graph.
  /// Throws: out_of_memory, placement_error.
  CUdeviceptr allocate(std::size_t bytes);
  /// Deallocates that memory after all work so far. While recording: at once, so no work may use
  /// it.
  void deallocate(CUdeviceptr block);
  /// Enqueues a driver call whose last argument is the stream.
  template <class F, class... A> void enqueue(F const& function, A... arguments) {
    CUstream const work = stream();
    owner_.call(function, arguments..., work);
    count();
  }
  /// Counts a kernel that was launched on the stream.
  void launched(std::string_view op) noexcept {
    owner_.note_kernel(op);
    count();
  }

  // ---- order

  timeline_point last_point() const noexcept { return enqueued_.load(std::memory_order_acquire); }
  /// Like last_point(), and sometimes records an event. A wait for the point then need not wait for
  /// later work.
  timeline_point current_point() noexcept;
  /// Records an event after all work so far. Throws: placement_error, std::bad_alloc.
  event_pool::one* record();
  /// Makes later work wait for the event. Takes ownership of the event, also if it throws.
  void wait(event_pool::one* passed);
  void synchronise() {
    if (current_.load(std::memory_order_acquire) == nullptr) return;
    throw_while_recording("waited for");
    owner_.call(owner_.api().synchronise_stream, stream());
    look();
  }
  /// Makes the queue call `report(on)` after each wait for its work, to throw errors that kernels
  /// reported. `on` must live as long as the process.
  void when_done(void (*report)(logical_device const&), logical_device const& on) noexcept {
    report_on_.store(&on, std::memory_order_relaxed);
    report_.store(report, std::memory_order_release);
  }

  /// Sends later work to the stream `next`, after all earlier work. Returns the previous stream.
  /// Strong exception guarantee. Throws: placement_error.
  CUstream switch_stream(CUstream next);
  /// Undoes switch_stream(). If the streams cannot be ordered, the host waits for the work so far.
  void restore_stream(CUstream before) noexcept;

  /// Makes later work of the stream `then` wait for the earlier work of `first`.
  /// Throws: placement_error.
  void order(CUstream first, CUstream then);

  // ---- recording

  void begin_recording();
  /// Throws: placement_error with the error that invalidated the recording, which is then dropped.
  std::unique_ptr<recorded_work> end_recording();
  void replay(recorded_work& all) {
    all.replay(stream());
    count();
  }

 private:
  void count() noexcept { enqueued_.fetch_add(1, std::memory_order_acq_rel); }
  bool is_recording() const noexcept { return records_ != nullptr; }
  void throw_while_recording(char const* what) const {
    if (is_recording()) [[unlikely]]
      throw placement_error("placement: a queue of " + owner_.name() + " is " + what +
                            " while its work is recorded. Leave that out of capture().");
  }
  void look() const {
    if (auto* const report = report_.load(std::memory_order_acquire); report != nullptr)
        [[unlikely]]
      report(*report_on_.load(std::memory_order_relaxed));
  }
  CUstream open();
  CUstream open_locked(CUstream& which);
  /// The stream beside that of the queue's work.
  CUstream aside() {
    lock_guard const guard(guard_);
    return open_locked(reading_);
  }

  /// Makes the host wait for all work of a stream.
  void wait_for_stream(CUstream work) {
    pooled_event const passed(events_);
    owner_.call(owner_.api().record_event, passed.handle(), work);
    owner_.call(owner_.api().synchronise_event, passed.handle());
  }
  /// Calls `through(stream)` if the staging ring is available, else `direct(stream)` and waits for
  /// the stream.
  template <class Through, class Direct>
  void staged(CUstream work, bool may_stage, Through through, Direct direct) {
    lock_guard const guard(staging_guard_);
    try {
      if (may_stage && staging_.ready()) return through(work);
      direct(work);
      wait_for_stream(work);
    } catch (...) {
      staging_.recover(work);
      throw;
    }
  }

  cuda_device& owner_;
  event_pool& events_;
  CUstream own_ = nullptr;      ///< guarded
  CUstream reading_ = nullptr;  ///< guarded; what need not wait for all work: copies to the host
  std::atomic<CUstream> current_{nullptr};
  lock guard_;
  staging staging_;
  lock staging_guard_;
  std::atomic<timeline_point> enqueued_{1};
  stream_timeline timeline_;
  std::unique_ptr<recorded_work> records_;
  std::atomic<void (*)(logical_device const&)> report_{nullptr};
  std::atomic<logical_device const*> report_on_{nullptr};
};

inline CUdeviceptr work_queue::allocate(std::size_t bytes) {
  CUstream const work = stream();
  CUstream const allocating = is_recording() ? aside() : work;
  CUdeviceptr block = 0;
  owner_.call_for_memory(owner_.api().allocate_async, &block, bytes, allocating);
  if (is_recording()) owner_.call(owner_.api().synchronise_stream, allocating);
  return block;
}
inline void work_queue::deallocate(CUdeviceptr block) {
  CUstream const work = stream();
  owner_.try_call(owner_.api().free_async, block, is_recording() ? aside() : work);
}

inline void work_queue::copy_in(CUdeviceptr to, void const* from, std::size_t bytes, bool pinned) {
  CUstream const work = stream();
  if (is_recording()) {
    owner_.call(owner_.api().copy_in, to, static_cast<void const*>(records_->keep(from, bytes)),
                bytes, work);
  } else {
    bool const may_stage = !pinned || bytes <= staging::slot_bytes * staging::slots;
    staged(
        work, may_stage,
        [&](CUstream s) { staging_.copy_in(s, to, static_cast<std::byte const*>(from), bytes); },
        [&](CUstream s) { owner_.call(owner_.api().copy_in, to, from, bytes, s); });
  }
  count();
}

inline void work_queue::copy_out(void* to, CUdeviceptr from, std::size_t bytes, bool pinned,
                                 timeline_point complete) {
  throw_while_recording("read");
  CUstream work = stream();
  if (last_point() != complete && complete != 0) {
    CUstream const other = aside();
    bool const known = timeline_.use(complete, [&](CUevent passed) {
      owner_.call(owner_.api().wait_in_stream, other, passed, 0u);
    });
    if (known) work = other;
  }
  staged(
      work, !pinned,
      [&](CUstream s) { staging_.copy_out(s, static_cast<std::byte*>(to), from, bytes); },
      [&](CUstream s) { owner_.call(owner_.api().copy_out, to, from, bytes, s); });
  look();
}

inline timeline_point work_queue::current_point() noexcept {
  timeline_point const now = last_point();
  CUstream const work = current_.load(std::memory_order_acquire);
  if (is_recording() || work == nullptr || !timeline_.is_due(now)) return now;
  try {
    timeline_.add(now,
                  [&](CUevent passed) { owner_.call(owner_.api().record_event, passed, work); });
  } catch (...) {  // later waits then last longer
    detail::swallowed.fetch_add(1, std::memory_order_relaxed);
  }
  return now;
}

inline event_pool::one* work_queue::record() {
  throw_while_recording("waited for by another one");
  CUstream const work = stream();
  pooled_event passed(events_);
  owner_.call(owner_.api().record_event, passed.handle(), work);
  return passed.release();
}

/// While recording, the host waits for the event, so that the recording need not contain the wait.
inline void work_queue::wait(event_pool::one* passed) {
  pooled_event const pooled(passed);
  CUstream const work = stream();
  if (is_recording()) owner_.call(owner_.api().synchronise_event, pooled.handle());
  else owner_.call(owner_.api().wait_in_stream, work, pooled.handle(), 0u);
}

inline CUstream work_queue::switch_stream(CUstream next) {
  throw_while_recording("given another stream");
  lock_guard const guard(guard_);
  CUstream const before = current_.load(std::memory_order_acquire);
  if (before != nullptr) order(before, next);
  current_.store(next, std::memory_order_release);
  return before;
}
inline void work_queue::restore_stream(CUstream before) noexcept {
  lock_guard const guard(guard_);
  CUstream const now = current_.load(std::memory_order_acquire);
  try {
    CUstream const next = before != nullptr ? before : open_locked(own_);
    order(now, next);
    before = next;
  } catch (...) { owner_.try_call(owner_.api().synchronise_stream, now); }
  current_.store(before, std::memory_order_release);
}

inline void work_queue::order(CUstream first, CUstream then) {
  owner_.make_current();
  pooled_event const passed(events_);
  owner_.call(owner_.api().record_event, passed.handle(), first);
  owner_.call(owner_.api().wait_in_stream, then, passed.handle(), 0u);
}

[[gnu::cold, gnu::noinline]] inline CUstream work_queue::open() {
  lock_guard const guard(guard_);
  CUstream const now = current_.load(std::memory_order_acquire);
  if (now != nullptr) return now;
  CUstream const opened = open_locked(own_);
  current_.store(opened, std::memory_order_release);
  return opened;
}
inline CUstream work_queue::open_locked(CUstream& which) {
  if (which == nullptr)
    owner_.call(owner_.api().create_stream, &which, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  return which;
}

inline void work_queue::close() noexcept {
  lock_guard const guard(guard_);
  for (CUstream work : {current_.load(std::memory_order_acquire), reading_})
    if (work != nullptr) owner_.try_call(owner_.api().synchronise_stream, work);
  staging_.release();
  timeline_.release();
  for (CUstream* own : {&own_, &reading_})
    if (*own != nullptr) owner_.try_call(owner_.api().destroy_stream, std::exchange(*own, nullptr));
  current_.store(nullptr, std::memory_order_release);
}

inline void work_queue::begin_recording() {
  throw_while_recording("recorded again");
  CUstream const work = stream();
  auto all = std::make_unique<recorded_work>(owner_);
  all->begin(work);
  records_ = std::move(all);
}
inline std::unique_ptr<recorded_work> work_queue::end_recording() {
  auto all = std::move(records_);
  all->end(stream());
  return all;
}

}}}  // namespace placement::v0_1::cuda
