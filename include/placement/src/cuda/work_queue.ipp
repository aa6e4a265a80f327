#pragma once
/// Definitions of the work queue of a GPU: copies, events, streams and recordings.

#include <placement/config.hpp>
#include <placement/cuda/work_queue.cuh>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace placement { inline namespace v0_1 { namespace cuda {

PLACEMENT_INLINE CUdeviceptr work_queue::allocate(std::size_t bytes) {
  CUstream const work = stream();
  CUstream const allocating = is_recording() ? aside() : work;
  CUdeviceptr block = 0;
  owner_.call_for_memory(owner_.api().allocate_async, &block, bytes, allocating);
  if (is_recording()) owner_.call(owner_.api().synchronise_stream, allocating);
  return block;
}
PLACEMENT_INLINE void work_queue::deallocate(CUdeviceptr block) {
  CUstream const work = stream();
  owner_.try_call(owner_.api().free_async, block, is_recording() ? aside() : work);
}

PLACEMENT_INLINE void work_queue::copy_in(CUdeviceptr to, void const* from, std::size_t bytes,
                                          bool pinned) {
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

PLACEMENT_INLINE void work_queue::copy_out(void* to, CUdeviceptr from, std::size_t bytes,
                                           bool pinned, timeline_point complete) {
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

PLACEMENT_INLINE timeline_point work_queue::current_point() noexcept {
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

PLACEMENT_INLINE event_pool::one* work_queue::record() {
  throw_while_recording("waited for by another one");
  CUstream const work = stream();
  pooled_event passed(events_);
  owner_.call(owner_.api().record_event, passed.handle(), work);
  return passed.release();
}

/// While recording, the host waits for the event, so that the recording need not contain the wait.
PLACEMENT_INLINE void work_queue::wait(event_pool::one* passed) {
  pooled_event const pooled(passed);
  CUstream const work = stream();
  if (is_recording()) owner_.call(owner_.api().synchronise_event, pooled.handle());
  else owner_.call(owner_.api().wait_in_stream, work, pooled.handle(), 0u);
}

PLACEMENT_INLINE CUstream work_queue::switch_stream(CUstream next) {
  throw_while_recording("given another stream");
  lock_guard const guard(guard_);
  CUstream const before = current_.load(std::memory_order_acquire);
  if (before != nullptr) order(before, next);
  current_.store(next, std::memory_order_release);
  return before;
}
PLACEMENT_INLINE void work_queue::restore_stream(CUstream before) noexcept {
  lock_guard const guard(guard_);
  CUstream const now = current_.load(std::memory_order_acquire);
  try {
    CUstream const next = before != nullptr ? before : open_locked(own_);
    order(now, next);
    before = next;
  } catch (...) { owner_.try_call(owner_.api().synchronise_stream, now); }
  current_.store(before, std::memory_order_release);
}

PLACEMENT_INLINE void work_queue::order(CUstream first, CUstream then) {
  owner_.make_current();
  pooled_event const passed(events_);
  owner_.call(owner_.api().record_event, passed.handle(), first);
  owner_.call(owner_.api().wait_in_stream, then, passed.handle(), 0u);
}

PLACEMENT_INLINE CUstream work_queue::open() {
  lock_guard const guard(guard_);
  CUstream const now = current_.load(std::memory_order_acquire);
  if (now != nullptr) return now;
  CUstream const opened = open_locked(own_);
  current_.store(opened, std::memory_order_release);
  return opened;
}
PLACEMENT_INLINE CUstream work_queue::open_locked(CUstream& which) {
  if (which == nullptr)
    owner_.call(owner_.api().create_stream, &which, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  return which;
}

PLACEMENT_INLINE void work_queue::close() noexcept {
  lock_guard const guard(guard_);
  for (CUstream work : {current_.load(std::memory_order_acquire), reading_})
    if (work != nullptr) owner_.try_call(owner_.api().synchronise_stream, work);
  staging_.release();
  timeline_.release();
  for (CUstream* own : {&own_, &reading_})
    if (*own != nullptr) owner_.try_call(owner_.api().destroy_stream, std::exchange(*own, nullptr));
  current_.store(nullptr, std::memory_order_release);
}

PLACEMENT_INLINE void work_queue::begin_recording() {
  throw_while_recording("recorded again");
  CUstream const work = stream();
  auto all = std::make_unique<recorded_work>(owner_);
  all->begin(work);
  records_ = std::move(all);
}
PLACEMENT_INLINE std::unique_ptr<recorded_work> work_queue::end_recording() {
  auto all = std::move(records_);
  all->end(stream());
  return all;
}

}}}  // namespace placement::v0_1::cuda
