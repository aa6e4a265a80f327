#pragma once
/// Replaces operator new by one that counts. Include it in exactly one file of a program.

#include <support/heap_count.hpp>

#include <placement/memory/small_blocks.hpp>

// Threads keep no blocks, so each tensor is an allocation.
inline bool const keeps_no_small_blocks = [] {
  placement::detail::small_block_limit.set(0);
  return true;
}();

// The definitions replace the global operator new of the program.
// NOLINTBEGIN(misc-definitions-in-headers)
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

void operator delete(void* p) noexcept { heap_count::deallocate(p); }
void operator delete[](void* p) noexcept { heap_count::deallocate(p); }
void operator delete(void* p, std::size_t) noexcept { heap_count::deallocate(p); }
void operator delete[](void* p, std::size_t) noexcept { heap_count::deallocate(p); }
void operator delete(void* p, std::align_val_t) noexcept { heap_count::deallocate(p); }
void operator delete[](void* p, std::align_val_t) noexcept { heap_count::deallocate(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { heap_count::deallocate(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  heap_count::deallocate(p);
}
// NOLINTEND(misc-definitions-in-headers)
