#pragma once
/// Definitions of small_blocks.hpp: a table of blocks for each thread, one list for each size.

#include <placement/config.hpp>
#include <placement/memory/buffer.hpp>
#include <placement/memory/small_blocks.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace placement { inline namespace v0_1 { namespace detail {

/// The next block is stored in the first bytes of a kept one.
struct kept_block {
  kept_block* next;
};
/// Blocks of one size, last in first out.
struct kept_blocks {
  std::size_t bytes;
  kept_block* first;
};
inline constexpr unsigned kept_sizes = 64;

/// What a thread keeps. It has no destructor, because tensors may be destroyed after it would run.
struct small_block_table {
  std::size_t total;  ///< bytes in all lists
  bool has_cleanup;   ///< the thread releases its blocks when it ends
  bool has_ended;     ///< and has done so
  kept_blocks of[kept_sizes];

  kept_blocks& of_size(std::size_t bytes) noexcept {
    std::uint64_t const hash = (bytes / 16) * 0x9e3779b97f4a7c15u;
    return of[hash >> 58];
  }
};
static_assert(kept_sizes == 1u << (64 - 58));
PLACEMENT_PROCESS_STATE inline thread_local constinit small_block_table small_blocks_of_thread{};

inline void release_list(small_block_table& table, kept_blocks& list) noexcept {
  while (kept_block* const block = list.first) {
    list.first = block->next;
    table.total -= list.bytes;
    ::operator delete(static_cast<void*>(block));
  }
}
PLACEMENT_INLINE void release_small_blocks() noexcept {
  small_block_table& table = small_blocks_of_thread;
  for (kept_blocks& list : table.of) release_list(table, list);
}

/// Releases the blocks when a thread ends.
struct small_block_cleanup {
  constexpr small_block_cleanup() = default;
  small_block_cleanup(small_block_cleanup const&) = delete;
  small_block_cleanup& operator=(small_block_cleanup const&) = delete;
  ~small_block_cleanup() {
    small_blocks_of_thread.has_ended = true;
    release_small_blocks();
    for (kept_blocks& list : small_blocks_of_thread.of) list.bytes = 0;
  }
  void begin() noexcept { small_blocks_of_thread.has_cleanup = true; }
};
PLACEMENT_PROCESS_STATE inline thread_local small_block_cleanup cleanup_of_thread;

/// Makes a list for blocks of this size; another size loses its blocks.
[[gnu::noinline]] inline bool prepare_list(small_block_table& table, kept_blocks& list,
                                           std::size_t bytes) noexcept {
  if (table.has_ended) return false;
  if (!table.has_cleanup) cleanup_of_thread.begin();
  release_list(table, list);
  list.bytes = bytes;
  return true;
}

PLACEMENT_INLINE void* allocate_heap_block(std::size_t bytes) noexcept {
  small_block_table& table = small_blocks_of_thread;
  kept_blocks& list = table.of_size(bytes);
  if (list.bytes == bytes && list.first != nullptr) [[likely]] {
    kept_block* const block = list.first;
    list.first = block->next;
    table.total -= bytes;
    return block;
  }
  void* const made = ::operator new(bytes, std::nothrow);
  if (made != nullptr || table.total == 0) return made;
  release_small_blocks();
  return ::operator new(bytes, std::nothrow);
}
PLACEMENT_INLINE void deallocate_heap_block(void* p, std::size_t bytes) noexcept {
  small_block_table& table = small_blocks_of_thread;
  if (bytes > largest_small_block || table.total + bytes > small_block_limit.peek())
    return ::operator delete(p);
  kept_blocks& list = table.of_size(bytes);
  if (list.bytes != bytes && !prepare_list(table, list, bytes)) return ::operator delete(p);
  list.first = ::new (p) kept_block{list.first};
  table.total += bytes;
}

PLACEMENT_INLINE void* heap_block::allocated(std::size_t bytes) {
  void* const block = allocate_heap_block(bytes);
  if (block == nullptr) throw_host_out_of_memory(bytes);
  return block;
}

}}}  // namespace placement::v0_1::detail
