#pragma once
/// What a queue of the library is on a GPU: a CUDA stream, or for a while the caller's.

#include <placement/cuda/cuda_device.cuh>
#include <placement/cuda/event_pool.cuh>
#include <placement/cuda/staging.cuh>
#include <placement/device/lock.hpp>

#include <atomic>
#include <cstddef>

namespace placement::inline v0_1::cuda {

/// The queue of one logical device. Nothing is made before it is used. Thread: safe.
class work_queue {
 public:
  work_queue(cuda_device& owner, event_pool& events) noexcept
      : owner_(owner), events_(events), staging_(owner, events) {}
  /// Waits for its work, as far as the device still can.
  ~work_queue() {
    if (CUstream const now = current_.load(std::memory_order_acquire); now != nullptr)
      owner_.try_call(owner_.api().synchronise_stream, now);
    if (own_ != nullptr) owner_.try_call(owner_.api().destroy_stream, own_);
  }
  work_queue(work_queue const&) = delete;
  work_queue& operator=(work_queue const&) = delete;

  cuda_device& device() const noexcept { return owner_; }

  /// The stream that its work goes to; the device is current on this thread afterwards.
  /// Throws: placement_error.
  CUstream stream() {
    owner_.make_current();
    CUstream const now = current_.load(std::memory_order_acquire);
    return now != nullptr ? now : open();
  }

  /// Queues a copy to the device; `pinned`: the GPU reaches the host memory, which must then stay
  /// as it is until the copy has happened.
  void copy_in(CUdeviceptr to, void const* from, std::size_t bytes, bool pinned) {
    staged(pinned, [&](CUstream work, bool through) {
      if (through) staging_.copy_in(work, to, static_cast<std::byte const*>(from), bytes);
      else owner_.call(owner_.api().copy_in, to, from, bytes, work);
    });
  }
  /// The same from the device. Waits for the copy where the host memory is not pinned.
  void copy_out(void* to, CUdeviceptr from, std::size_t bytes, bool pinned) {
    staged(pinned, [&](CUstream work, bool through) {
      if (through) staging_.copy_out(work, static_cast<std::byte*>(to), from, bytes);
      else owner_.call(owner_.api().copy_out, to, from, bytes, work);
    });
  }

  /// A point in its work. Throws: placement_error, std::bad_alloc.
  event_pool::one* record() {
    CUstream const work = stream();
    pooled_event passed(events_);
    owner_.call(owner_.api().record_event, passed.handle(), work);
    return passed.release();
  }
  /// Holds its later work until then. Takes the event, also when it throws.
  void wait(event_pool::one* passed) {
    pooled_event const held(passed);
    CUstream const work = stream();
    owner_.call(owner_.api().wait_in_stream, work, held.handle(), 0u);
  }
  void synchronise() {
    if (current_.load(std::memory_order_acquire) != nullptr)
      owner_.call(owner_.api().synchronise_stream, stream());
  }

  /// From now on its work goes to that stream, after all that it has been given; returns the stream
  /// before. Strong. Throws: placement_error.
  CUstream turn_to(CUstream next) {
    lock_guard const hold(guard_);
    CUstream const before = current_.load(std::memory_order_acquire);
    if (before != nullptr) order(before, next);
    current_.store(next, std::memory_order_release);
    return before;
  }
  /// The opposite. Where the later work cannot be held, what was given is waited for on the host.
  void turn_back(CUstream before) noexcept {
    lock_guard const hold(guard_);
    CUstream const now = current_.load(std::memory_order_acquire);
    try {
      CUstream const next = before != nullptr ? before : open_locked();
      order(now, next);
      before = next;
    } catch (...) { owner_.try_call(owner_.api().synchronise_stream, now); }
    current_.store(before, std::memory_order_release);
  }

 private:
  void order(CUstream first, CUstream then) {
    owner_.make_current();
    pooled_event const passed(events_);
    owner_.call(owner_.api().record_event, passed.handle(), first);
    owner_.call(owner_.api().wait_in_stream, then, passed.handle(), 0u);
  }

  [[gnu::cold, gnu::noinline]] CUstream open() {
    lock_guard const hold(guard_);
    CUstream const now = current_.load(std::memory_order_acquire);
    if (now != nullptr) return now;
    CUstream const opened = open_locked();
    current_.store(opened, std::memory_order_release);
    return opened;
  }
  CUstream open_locked() {
    if (own_ == nullptr)
      owner_.call(owner_.api().create_stream, &own_, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
    return own_;
  }

  /// Calls copy(stream, whether through the ring).
  template <class Copy> void staged(bool pinned, Copy copy) {
    CUstream const work = stream();
    if (pinned) return copy(work, false);
    lock_guard const hold(staging_guard_);
    try {
      copy(work, staging_.ready());
    } catch (...) {
      staging_.recover(work);
      throw;
    }
  }

  cuda_device& owner_;
  event_pool& events_;
  CUstream own_ = nullptr;
  std::atomic<CUstream> current_{nullptr};
  lock guard_;
  staging staging_;
  lock staging_guard_;
};

}  // namespace placement::inline v0_1::cuda
