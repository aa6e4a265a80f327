#pragma once
/// Counts the heap allocations of a thread, where a file of the program includes counted_new.hpp.

#include <cstddef>
#include <cstdlib>
#include <new>

namespace heap_count {

inline thread_local std::size_t made = 0;

// Through pointers: a checker that sees malloc and free behind new and delete takes each delete for
// a mistake.
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

/// How many times f() allocates on this thread.
template <class F> std::size_t heap_allocations(F f) {
  std::size_t const before = heap_count::made;
  f();
  return heap_count::made - before;
}
