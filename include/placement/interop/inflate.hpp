#pragma once
/// The decompression of archives, by a library that the program may have.

#include <placement/config.hpp>

#include <cstddef>
#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// The result of decompressing.
struct inflated {
  std::size_t bytes;  ///< written
  bool is_valid, is_complete;
};
/// Decompresses deflated bytes to at most `capacity` bytes. Null without npz_zlib.hpp.
using inflate_function = inflated (*)(void const* from, std::size_t bytes, void* to,
                                      std::size_t capacity);
PLACEMENT_PROCESS_STATE inline constinit inflate_function inflate_of_process = nullptr;

/// The largest ratio of the format's compression.
inline constexpr std::uint64_t max_deflate_ratio = 1032;

}}}  // namespace placement::v0_1::detail
