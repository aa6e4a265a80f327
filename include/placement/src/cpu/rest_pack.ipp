#pragma once
/// Definitions of rest_pack.hpp: the elements of a block that fill no pack.

#include <placement/config.hpp>
#include <placement/cpu/rest_pack.hpp>

#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

template <std::size_t Bytes>
PLACEMENT_ALWAYS_INLINE inline void copy_rest_of(unsigned char* to, unsigned char const* from,
                                                 index_t n, index_t lanes) noexcept {
  for (index_t i = 0; i != lanes; ++i) {
    auto const at = static_cast<std::size_t>(i < n ? i : 0) * Bytes;
    std::memcpy(to + static_cast<std::size_t>(i) * Bytes, from + at, Bytes);
  }
}
[[gnu::noinline]] PLACEMENT_INLINE void copy_rest(void* to, void const* from, std::size_t bytes,
                                                  index_t n, index_t lanes) noexcept {
  auto* const out = static_cast<unsigned char*>(to);
  auto const* const in = static_cast<unsigned char const*>(from);
  if (bytes == 4) copy_rest_of<4>(out, in, n, lanes);
  else if (bytes == 8) copy_rest_of<8>(out, in, n, lanes);
  else if (bytes == 2) copy_rest_of<2>(out, in, n, lanes);
  else copy_rest_of<1>(out, in, n, lanes);
}

}}}  // namespace placement::v0_1::detail
