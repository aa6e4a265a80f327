#pragma once
/// Non-temporal stores.

#include <placement/config.hpp>

#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#  include <emmintrin.h>
#endif

namespace placement { inline namespace v0_1 { namespace detail {

inline constexpr std::size_t stream_line_bytes = 64;

/// The most bytes to compute before they are stored. The processor overlaps the loads of a block
/// with the non-temporal stores of the one before it, and does not where blocks are longer.
inline constexpr std::size_t streamed_block_bytes = 512;

// Depends on the architecture only, so it is equal in all files of a program.
#if defined(__x86_64__)
inline void stream_line(void* to, void const* from) noexcept {
  auto* const t = static_cast<__m128i*>(to);
  auto const* const f = static_cast<__m128i const*>(from);
  __m128i const a = _mm_loadu_si128(f), b = _mm_loadu_si128(f + 1);
  __m128i const c = _mm_loadu_si128(f + 2), d = _mm_loadu_si128(f + 3);
  _mm_stream_si128(t, a);
  _mm_stream_si128(t + 1, b);
  _mm_stream_si128(t + 2, c);
  _mm_stream_si128(t + 3, d);
}
inline void finish_streams() noexcept { _mm_sfence(); }
#else
inline void stream_line(void* to, void const* from) noexcept {
  std::memcpy(to, from, stream_line_bytes);
}
inline void finish_streams() noexcept {}
#endif

/// Like memcpy, but with stores that bypass the caches and do not read the lines first. `to` is a
/// multiple of 16 bytes. Other threads see the data after finish_streams().
inline void stream_bytes(void* to, void const* from, std::size_t bytes) noexcept {
  char* const t = static_cast<char*>(to);
  char const* const f = static_cast<char const*>(from);
  std::size_t done = 0;
  for (; done + stream_line_bytes <= bytes; done += stream_line_bytes)
    stream_line(t + done, f + done);
  std::memcpy(t + done, f + done, bytes - done);
}

/// Reads bytes ahead, into the first cache. Always inline: g++ removes calls of functions that do
/// nothing else.
PLACEMENT_ALWAYS_INLINE inline void prefetch_bytes(void const* from, std::size_t bytes) noexcept {
  auto const* const first = static_cast<char const*>(from);
  for (std::size_t i = 0; i < bytes; i += stream_line_bytes) __builtin_prefetch(first + i);
}

}}}  // namespace placement::v0_1::detail
