#pragma once
/// Memory of a GPU's pool for other libraries, whose streams the pool does not know. Not part of
/// placement.hpp.

#include <placement/error.hpp>
#include <placement/memory/arena.hpp>
#include <placement/memory/call_site.hpp>
#include <placement/memory/pools.hpp>
#include <placement/src/cuda/context.ipp>

#include <cstddef>
#include <string>

namespace placement { inline namespace v0_1 { namespace cuda {

/// Allocates blocks of the pool for work on any stream of the GPU. The pool's limits and statistics
/// include them. Alignment: at most 256 bytes.
/// Thread: safe.
class exported_memory {
 public:
  /// `caller` names these blocks in the pool's statistics.
  /// Throws: placement_error for a missing device; invalid_argument for a device that is not
  /// CUDA's.
  explicit exported_memory(device from, call_site const& caller = {"Lent"})
      : on_(&logical(from)), queue_(&detail::queue_of(*on_)), caller_(caller) {}

  device where() const noexcept { return on_->id; }

  /// Allocates for later work of the stream `user`.
  /// Throws: out_of_memory, placement_error; invalid_argument for a larger alignment.
  void* allocate(std::size_t bytes, std::size_t alignment, CUstream user) const {
    void* const p = allocate_aligned(bytes, alignment);
    try {
      if (CUstream const own = queue_->stream(); own != user) queue_->order(own, user);
    } catch (...) {
      placement::detail::deallocate_block(where(), p, bytes);
      throw;
    }
    return p;
  }
  /// Deallocates while work of the stream `user` may still use the memory. Does not throw: if
  /// events fail, the host waits for the GPU.
  void deallocate(void* p, std::size_t bytes, CUstream user) const noexcept {
    try {
      if (CUstream const own = queue_->stream(); own != user) queue_->order(user, own);
    } catch (...) { wait_for_all(); }
    placement::detail::deallocate_block(where(), p, bytes);
  }

  /// Allocates for work of any stream. The host waits for the library's own work on the memory.
  /// Throws: like the overload above.
  void* allocate(std::size_t bytes, std::size_t alignment) const {
    void* const p = allocate_aligned(bytes, alignment);
    try {
      queue_->synchronise();
    } catch (...) {
      placement::detail::deallocate_block(where(), p, bytes);
      throw;
    }
    return p;
  }
  /// Deallocates. The host waits for all work of the GPU, as cudaFree does.
  void deallocate(void* p, std::size_t bytes) const noexcept {
    wait_for_all();
    placement::detail::deallocate_block(where(), p, bytes);
  }

  friend bool operator==(exported_memory const& a, exported_memory const& b) noexcept {
    return a.on_ == b.on_;
  }

 private:
  void* allocate_aligned(std::size_t bytes, std::size_t alignment) const {
    if (alignment > placement::detail::arena::granule)
      throw invalid_argument("placement: memory of " + to_string(where()) + " is aligned to " +
                             std::to_string(placement::detail::arena::granule) + " bytes, not to " +
                             std::to_string(alignment) + ". Ask for less.");
    return placement::detail::allocate_block(where(), bytes, caller_);
  }
  void wait_for_all() const noexcept {
    cuda_device& d = queue_->device();
    d.try_call(d.api().synchronise_context);
  }

  logical_device const* on_;
  work_queue* queue_;
  call_site caller_;
};

}}}  // namespace placement::v0_1::cuda
