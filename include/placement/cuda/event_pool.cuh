#pragma once
/// A pool of CUDA events of one GPU.

#include <placement/cuda/cuda_device.cuh>
#include <placement/runtime/lock.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace cuda {

/// Hands out events without timing and reuses them. A program needs a small number at a time, so
/// events are never destroyed; the driver frees them when the process ends.
/// Thread: safe.
class event_pool {
 public:
  /// An event and the pool that owns it.
  struct one {
    CUevent handle = nullptr;
    event_pool* home = nullptr;
  };

  explicit event_pool(cuda_device& owner) noexcept : owner_(owner) {}

  /// Throws: placement_error, std::bad_alloc.
  one* acquire() {
    {
      lock_guard const guard(guard_);
      if (!free_.empty()) {
        one* const again = free_.back();
        free_.pop_back();
        return again;
      }
      free_.reserve(made_ + 1);
    }
    auto fresh = std::make_unique<one>();
    fresh->home = this;
    owner_.call(owner_.api().create_event, &fresh->handle,
                static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));
    lock_guard const guard(guard_);
    free_.reserve(++made_);
    return fresh.release();
  }
  static void recycle(one* e) noexcept {
    lock_guard const guard(e->home->guard_);
    e->home->free_.push_back(e);
  }

 private:
  cuda_device& owner_;
  std::vector<one*> free_;  ///< has capacity for all created events
  std::size_t made_ = 0;
  lock guard_;
};

/// An event that returns to its pool at the end of a scope.
class pooled_event {
 public:
  explicit pooled_event(event_pool& from) : event_(from.acquire()) {}
  explicit pooled_event(event_pool::one* event) noexcept : event_(event) {}
  ~pooled_event() {
    if (event_ != nullptr) event_pool::recycle(event_);
  }
  pooled_event(pooled_event const&) = delete;
  pooled_event& operator=(pooled_event const&) = delete;

  CUevent handle() const noexcept { return event_->handle; }
  event_pool::one* release() noexcept { return std::exchange(event_, nullptr); }

 private:
  event_pool::one* event_;
};

}}}  // namespace placement::v0_1::cuda
