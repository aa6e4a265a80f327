#pragma once
/// A heap that fails on request and counts live allocations. It replaces operator new, so include
/// it in exactly one file of a program.

#include <placement/memory/small_blocks.hpp>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace failing_heap {

/// Threads keep no blocks, so each tensor is an allocation.
inline bool const keeps_no_small_blocks = [] {
  placement::detail::small_block_limit.set(0);
  return true;
}();

inline std::atomic<long> alive{0};
inline thread_local int until_failure =
    0;  ///< the number of the allocation of this thread that fails; 0: none

/// Makes the k-th following allocation of this thread fail. k counts from 1.
inline void fail(int k) { until_failure = k; }

/// Whether the requested failure has happened. Cancels the request if it has not.
inline bool has_failed() {
  bool const failed = until_failure == 0;
  until_failure = 0;
  return failed;
}

inline void* taken(std::size_t size, std::size_t alignment) noexcept {
  if (until_failure != 0 && --until_failure == 0) return nullptr;
  if (size == 0) size = 1;
  void* const p =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(size)
          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (p != nullptr) ++alive;
  return p;
}
inline void* taken_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const p = taken(size, alignment)) return p;
  throw std::bad_alloc();
}
inline void given_back(void* p) noexcept {
  if (p != nullptr) --alive;
  std::free(p);
}

}  // namespace failing_heap

void* operator new(std::size_t n) { return failing_heap::taken_or_throw(n, 1); }
void* operator new[](std::size_t n) { return failing_heap::taken_or_throw(n, 1); }
void* operator new(std::size_t n, std::align_val_t a) {
  return failing_heap::taken_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return failing_heap::taken_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, std::nothrow_t const&) noexcept {
  return failing_heap::taken(n, 1);
}
void* operator new[](std::size_t n, std::nothrow_t const&) noexcept {
  return failing_heap::taken(n, 1);
}
void* operator new(std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept {
  return failing_heap::taken(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept {
  return failing_heap::taken(n, static_cast<std::size_t>(a));
}

[[gnu::noinline]] void operator delete(void* p) noexcept { failing_heap::given_back(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { failing_heap::given_back(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  failing_heap::given_back(p);
}
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept {
  failing_heap::given_back(p);
}
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept {
  failing_heap::given_back(p);
}
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept {
  failing_heap::given_back(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  failing_heap::given_back(p);
}
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  failing_heap::given_back(p);
}
