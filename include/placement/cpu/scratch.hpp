#pragma once
/// Scratch memory of CPU kernels. Each thread keeps its block for the next kernel.

#include <placement/config.hpp>

#include <cstddef>
#include <new>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// A thread's block, deallocated when the thread ends.
class thread_scratch {
 public:
  constexpr thread_scratch() = default;
  thread_scratch(thread_scratch const&) = delete;
  thread_scratch& operator=(thread_scratch const&) = delete;
  ~thread_scratch() { release(); }

  void swap(thread_scratch& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
  }

  /// At least `bytes` bytes, aligned to 64; nullptr if there is no memory. Earlier contents are
  /// lost.
  void* at_least(std::size_t bytes) noexcept {
    if (bytes <= bytes_) return memory_;
    release();
    memory_ = ::operator new(bytes, alignment, std::nothrow);
    if (memory_ != nullptr) bytes_ = bytes;
    return memory_;
  }

 private:
  static constexpr std::align_val_t alignment{64};

  void release() noexcept {
    ::operator delete(memory_, alignment);
    memory_ = nullptr;
    bytes_ = 0;
  }

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

PLACEMENT_PROCESS_STATE inline thread_local constinit thread_scratch scratch_of_thread;

/// Owns the thread's block while a kernel runs. Kernels that it calls meanwhile use another block.
class scratch_buffer : public thread_scratch {
 public:
  scratch_buffer() noexcept { swap(scratch_of_thread); }
  ~scratch_buffer() { swap(scratch_of_thread); }
};

}}}  // namespace placement::v0_1::detail
