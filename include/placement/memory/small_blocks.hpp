#pragma once
/// Heap blocks of the CPU's tensors and of large expressions. Each thread keeps some of its
/// deallocated blocks for the next use of the same size.

#include <placement/config.hpp>
#include <placement/runtime/shared_word.hpp>

#include <cstddef>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// Blocks above this size are never kept. Tensors of 1 MiB and more are in the pool, and all others
/// in such blocks: the heap would return the pages of blocks at its end to the system each time.
inline constexpr std::size_t largest_small_block = std::size_t{1025} << 10;

/// The bytes that a thread keeps at most; 0 keeps none. AddressSanitizer sees each allocation, as
/// kept blocks would hide a use after the deallocation.
PLACEMENT_PROCESS_STATE inline constinit shared_word<std::size_t> small_block_limit{
    PLACEMENT_HEAP_IS_INSTRUMENTED != 0 ? std::size_t{0} : std::size_t{4} << 20};

/// A block of the heap, aligned as by operator new; nullptr if there is no memory.
/// Thread: safe. Cost: 3 ns for a kept block.
void* allocate_heap_block(std::size_t bytes) noexcept;
/// Keeps or deallocates a block of this size, on any thread.
void deallocate_heap_block(void* p, std::size_t bytes) noexcept;
/// Deallocates the blocks that this thread keeps.
void release_small_blocks() noexcept;

/// Owns a block of the heap.
class heap_block {
 public:
  /// Throws: out_of_memory.
  explicit heap_block(std::size_t bytes) : data_(allocated(bytes)), bytes_(bytes) {}
  heap_block(heap_block&& o) noexcept : data_(std::exchange(o.data_, nullptr)), bytes_(o.bytes_) {}
  heap_block& operator=(heap_block&&) = delete;
  ~heap_block() {
    if (data_ != nullptr) deallocate_heap_block(data_, bytes_);
  }
  void* data() const noexcept { return data_; }

 private:
  static void* allocated(std::size_t bytes);

  void* data_;
  std::size_t bytes_;
};

}}}  // namespace placement::v0_1::detail
