#pragma once
/// Counts the heap allocations of a thread. It replaces operator new, so one file of a program
/// includes it.

#include <cstddef>
#include <cstdlib>
#include <new>

namespace heap_count {

inline thread_local std::size_t made = 0;

inline void* counted(std::size_t size, std::size_t alignment) noexcept {
  ++made;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
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

void* operator new(std::size_t n) { return heap_count::counted_or_throw(n, 1); }
void* operator new[](std::size_t n) { return heap_count::counted_or_throw(n, 1); }
void* operator new(std::size_t n, std::align_val_t a) {
  return heap_count::counted_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return heap_count::counted_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, std::nothrow_t const&) noexcept {
  return heap_count::counted(n, 1);
}
void* operator new[](std::size_t n, std::nothrow_t const&) noexcept {
  return heap_count::counted(n, 1);
}
void* operator new(std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept {
  return heap_count::counted(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept {
  return heap_count::counted(n, static_cast<std::size_t>(a));
}

[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
