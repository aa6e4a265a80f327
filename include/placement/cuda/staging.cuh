#pragma once
/// Copies between a GPU and pageable host memory, in pieces through pinned memory.

#include <placement/cuda/cuda_device.cuh>
#include <placement/cuda/event_pool.cuh>

#include <cstddef>
#include <cstring>
#include <utility>

namespace placement { inline namespace v0_1 { namespace cuda {

/// A ring of pinned slots. While the GPU copies one slot, the host fills or reads the next.
/// Thread: not safe.
class staging {
 public:
  static constexpr std::size_t slot_bytes = std::size_t{2} << 20;
  static constexpr std::size_t slots = 4;

  staging(cuda_device& owner, event_pool& events) noexcept : owner_(owner), events_(events) {}
  ~staging() { release(); }
  staging(staging const&) = delete;
  staging& operator=(staging const&) = delete;

  /// Frees the ring and its events. No copy may still use them.
  void release() noexcept {
    if (memory_ != nullptr)
      owner_.try_call(owner_.api().free_pinned,
                      static_cast<void*>(std::exchange(memory_, nullptr)));
    for (event_pool::one*& e : passed_)
      if (e != nullptr) event_pool::recycle(std::exchange(e, nullptr));
    for (bool& busy : busy_) busy = false;
  }

  /// Whether the ring exists; the first call allocates it. Pinned memory may be exhausted; copies
  /// then use the driver's own path. Throws: placement_error.
  bool ready() {
    if (memory_ != nullptr) return true;
    for (event_pool::one*& e : passed_)
      if (e == nullptr) e = events_.acquire();
    void* made = nullptr;
    if (!owner_.try_call(owner_.api().allocate_pinned, &made, slot_bytes * slots,
                         static_cast<unsigned>(CU_MEMHOSTALLOC_PORTABLE)))
      return false;
    memory_ = static_cast<std::byte*>(made);
    return true;
  }

  /// Enqueues the copy; all of `from` has been read on return. Throws: placement_error.
  void copy_in(CUstream work, CUdeviceptr to, std::byte const* from, std::size_t bytes) {
    for (std::size_t done = 0; done != bytes;) {
      std::size_t const piece = bytes - done < slot_bytes ? bytes - done : slot_bytes;
      std::size_t const slot = next();
      wait_for(slot);
      std::memcpy(at(slot), from + done, piece);
      owner_.call(owner_.api().copy_in, to + done, static_cast<void const*>(at(slot)), piece, work);
      record_slot(slot, work);
      done += piece;
    }
  }
  /// Copies to the host and waits until `to` is written. Throws: placement_error.
  void copy_out(CUstream work, std::byte* to, CUdeviceptr from, std::size_t bytes) {
    std::size_t const pieces = (bytes + slot_bytes - 1) / slot_bytes;
    auto length = [&](std::size_t i) {
      return i + 1 == pieces ? bytes - i * slot_bytes : slot_bytes;
    };
    std::size_t slot_of[slots];
    for (std::size_t i = 0; i != pieces + slots; ++i) {
      if (i >= slots && i - slots < pieces) {
        std::size_t const out = i - slots;
        wait_for(slot_of[out % slots]);
        std::memcpy(to + out * slot_bytes, at(slot_of[out % slots]), length(out));
      }
      if (i >= pieces) continue;
      std::size_t const slot = slot_of[i % slots] = next();
      wait_for(slot);
      owner_.call(owner_.api().copy_out, static_cast<void*>(at(slot)), from + i * slot_bytes,
                  length(i), work);
      record_slot(slot, work);
    }
  }

  /// After a failure: waits for the stream, so that no slot is overwritten while in use.
  void recover(CUstream work) noexcept {
    owner_.try_call(owner_.api().synchronise_stream, work);
    for (bool& busy : busy_) busy = false;
  }

 private:
  std::byte* at(std::size_t slot) const noexcept { return memory_ + slot * slot_bytes; }
  std::size_t next() noexcept { return next_++ % slots; }
  void record_slot(std::size_t slot, CUstream work) {
    owner_.call(owner_.api().record_event, passed_[slot]->handle, work);
    busy_[slot] = true;
  }
  void wait_for(std::size_t slot) {
    if (!busy_[slot]) return;
    owner_.call(owner_.api().synchronise_event, passed_[slot]->handle);
    busy_[slot] = false;
  }

  cuda_device& owner_;
  event_pool& events_;
  std::byte* memory_ = nullptr;
  event_pool::one* passed_[slots] = {};
  bool busy_[slots] = {};
  std::size_t next_ = 0;
};

}}}  // namespace placement::v0_1::cuda
