#pragma once
/// Counts heap allocations per thread. One file of the program must include counted_new.hpp.

#include <cstddef>
#include <cstdlib>
#include <new>

namespace heap_count {

inline thread_local std::size_t made = 0;

// Called through pointers: an analyser that sees malloc and free behind new and delete reports each
// delete as a mismatch.
inline void* (*const volatile take)(std::size_t) = std::malloc;
inline void* (*const volatile allocate_aligned)(std::size_t, std::size_t) = std::aligned_alloc;
inline void (*const volatile deallocate)(void*) = std::free;

inline void* counted(std::size_t size, std::size_t alignment) noexcept {
  ++made;
  if (alignment <= alignof(std::max_align_t)) return take(size == 0 ? 1 : size);
  return allocate_aligned(alignment, (size + alignment - 1) / alignment * alignment);
}
inline void* counted_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const p = counted(size, alignment)) return p;
  throw std::bad_alloc();
}

}  // namespace heap_count

/// The number of allocations that f() makes on this thread.
template <class F> std::size_t heap_allocations(F f) {
  std::size_t const before = heap_count::made;
  f();
  return heap_count::made - before;
}
