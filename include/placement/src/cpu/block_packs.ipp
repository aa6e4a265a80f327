#pragma once
/// Definitions: the elements of a block that fill no pack.

#include <placement/config.hpp>
#include <placement/cpu/block_packs.hpp>

#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

[[gnu::noinline]] PLACEMENT_INLINE void copy_rest(void* to, void const* from, std::size_t bytes,
                                                  index_t n, index_t lanes) noexcept {
  auto const copied = static_cast<std::size_t>(n) * bytes;
  auto* const first = static_cast<unsigned char*>(to);
  std::memcpy(first, from, copied);
  for (std::size_t at = copied; at != static_cast<std::size_t>(lanes) * bytes; at += bytes)
    std::memcpy(first + at, first, bytes);
}

}}}  // namespace placement::v0_1::detail
