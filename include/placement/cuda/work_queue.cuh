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
  [[gnu::cold]] CUstream open();
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

}}}  // namespace placement::v0_1::cuda
