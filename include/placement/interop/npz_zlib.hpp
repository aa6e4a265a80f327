#pragma once
/// Decompresses arrays of numpy.savez_compressed with zlib. Include this in one file of a program
/// that links placement::zlib. All files of the program then read them. In a static library the
/// linker leaves the file out, unless the program uses another function of it.

#include <placement/interop/inflate.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

namespace placement { inline namespace v0_1 { namespace detail {

/// Decompresses a raw deflate stream. zlib counts in 32 bits, so large ones are passed in parts.
inline inflated inflate_by_zlib(void const* from, std::size_t bytes, void* to,
                                std::size_t capacity) {
  z_stream z{};
  if (::inflateInit2(&z, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): zlib does not write there
  z.next_in = static_cast<Bytef*>(const_cast<void*>(from));
  z.next_out = static_cast<Bytef*>(to);
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  std::size_t in_left = bytes, out_left = capacity;
  int result = Z_OK;
  while (result == Z_OK) {
    uInt const in = static_cast<uInt>(std::min(in_left, most)),
               out = static_cast<uInt>(std::min(out_left, most));
    z.avail_in = in;
    z.avail_out = out;
    result = ::inflate(&z, Z_NO_FLUSH);
    in_left -= in - z.avail_in;
    out_left -= out - z.avail_out;
  }
  ::inflateEnd(&z);
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  // Z_BUF_ERROR: the input or the space is used up.
  return {capacity - out_left, result == Z_STREAM_END || result == Z_BUF_ERROR,
          result == Z_STREAM_END};
}

/// Registers zlib during static initialisation.
PLACEMENT_PROCESS_STATE inline bool const zlib_is_used =
    (inflate_of_process = &inflate_by_zlib, true);

}}}  // namespace placement::v0_1::detail
