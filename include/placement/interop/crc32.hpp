#pragma once
/// CRC-32, the checksum of ZIP archives.

#include <array>
#include <cstddef>
#include <cstdint>

namespace placement { inline namespace v0_1 { namespace detail {

/// crc32_tables[k][b]: the checksum of byte b and k zero bytes behind it.
inline constexpr auto crc32_tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> t{};
  for (std::uint32_t b = 0; b != 256; ++b) {
    std::uint32_t c = b;
    for (int bit = 0; bit != 8; ++bit) c = (c & 1) != 0 ? 0xedb88320u ^ c >> 1 : c >> 1;
    t[0][b] = c;
  }
  for (std::size_t b = 0; b != 256; ++b)
    for (std::size_t k = 1; k != 8; ++k) t[k][b] = t[k - 1][b] >> 8 ^ t[0][t[k - 1][b] & 255];
  return t;
}();

/// The checksum of more bytes. `crc`: that of the bytes before, 0 for none. Eight bytes a step.
/// Source: "A Systematic Approach to Building High Performance Software-based CRC Generators",
/// Kounavis and Berry, 2005.
constexpr std::uint32_t crc32(std::uint32_t crc, unsigned char const* data, std::size_t bytes) {
  auto const& t = crc32_tables;
  crc = ~crc;
  for (; bytes >= 8; data += 8, bytes -= 8) {
    std::uint32_t const low = crc ^ (std::uint32_t{data[0]} | std::uint32_t{data[1]} << 8 |
                                     std::uint32_t{data[2]} << 16 | std::uint32_t{data[3]} << 24);
    crc = t[7][low & 255] ^ t[6][low >> 8 & 255] ^ t[5][low >> 16 & 255] ^ t[4][low >> 24] ^
          t[3][data[4]] ^ t[2][data[5]] ^ t[1][data[6]] ^ t[0][data[7]];
  }
  for (; bytes != 0; ++data, --bytes) crc = t[0][(crc ^ *data) & 255] ^ crc >> 8;
  return ~crc;
}

}}}  // namespace placement::v0_1::detail
