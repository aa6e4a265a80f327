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

// Depends on the architecture only, so it is equal in all files of a program.
#if defined(__x86_64__)
inline void stream_line(void* to, void const* from) noexcept {
  auto* const t = static_cast<__m128i*>(to);
  auto const* const f = static_cast<__m128i const*>(from);
  for (int i = 0; i != 4; ++i) _mm_stream_si128(t + i, _mm_loadu_si128(f + i));
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

}}}  // namespace placement::v0_1::detail
