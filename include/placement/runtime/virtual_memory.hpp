#pragma once
/// Address ranges of host memory that are committed page by page, for the CPU and simulated GPUs.

#include <placement/error.hpp>
#include <placement/runtime/parse.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace placement { inline namespace v0_1 { namespace detail {

inline std::size_t page_bytes() noexcept {
  static auto const size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

/// The pages that begin in a part of a range: [first, last). A page that begins before the part
/// belongs to the part before.
struct page_span {
  std::size_t first, last;

  page_span(std::size_t offset, std::size_t bytes) noexcept
      : first(up_to(offset)), last(up_to(offset + bytes)) {}

  static std::size_t up_to(std::size_t offset) noexcept {
    return (offset + page_bytes() - 1) / page_bytes();
  }
  std::size_t offset() const noexcept { return first * page_bytes(); }
  std::size_t bytes() const noexcept { return (last - first) * page_bytes(); }
};

[[noreturn]] inline void throw_no_host_memory(std::string_view target, std::size_t bytes) {
  throw out_of_memory("Out of host memory: the system did not give " + std::to_string(bytes) +
                      " bytes for " + std::string(target));
}

/// The size of a large page of the hardware. Large pages cause fewer page faults and fewer TLB
/// misses.
inline constexpr std::size_t large_page_bytes = std::size_t{2} << 20;

/// Reserves addresses without memory behind them. A range of at least one large page is aligned to
/// it. Throws: out_of_memory.
inline void* reserve_pages(std::string_view target, std::size_t bytes) {
  std::size_t const size = page_span(0, bytes == 0 ? 1 : bytes).bytes();
  std::size_t const slack = bytes >= large_page_bytes ? large_page_bytes : 0;
  if (size + slack < bytes) throw_no_host_memory(target, bytes);
  void* const base =
      ::mmap(nullptr, size + slack, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw_no_host_memory(target, bytes);
  if (slack == 0) return base;
  std::byte* const first = static_cast<std::byte*>(base);
  std::size_t const before = (~reinterpret_cast<std::uintptr_t>(base) + 1) % large_page_bytes;
  if (before != 0) ::munmap(first, before);
  if (before != slack) ::munmap(first + before + size, slack - before);
  return first + before;
}

/// Makes pages readable and writable; false if the system has no memory for them. Asks for large
/// pages for large parts; the system may ignore that.
inline bool commit_pages(void* base, page_span pages) noexcept {
  if (pages.bytes() == 0) return true;
  std::byte* const first = static_cast<std::byte*>(base) + pages.offset();
  if (::mprotect(first, pages.bytes(), PROT_READ | PROT_WRITE) != 0) return false;
  if (pages.bytes() >= large_page_bytes) ::madvise(first, pages.bytes(), MADV_HUGEPAGE);
  return true;
}

/// Releases the memory of pages and keeps their addresses.
inline void decommit_pages(void* base, page_span pages) noexcept {
  if (pages.bytes() == 0) return;
  std::byte* const first = static_cast<std::byte*>(base) + pages.offset();
  ::madvise(first, pages.bytes(), MADV_DONTNEED);
  ::mprotect(first, pages.bytes(), PROT_NONE);
}

inline void release_pages(void* base, std::size_t bytes) noexcept {
  ::munmap(base, bytes == 0 ? 1 : bytes);
}

}}}  // namespace placement::v0_1::detail
