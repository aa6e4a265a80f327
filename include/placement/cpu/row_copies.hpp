#pragma once
/// Copies of rows, and rows of one repeated element. Compiled once, for several levels of x86-64.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 { namespace detail {

/// Some rows of bytes. They do not overlap those that they are copied from.
struct row_copies {
  unsigned char* to;
  index_t to_pitch;
  unsigned char const* from;
  index_t from_pitch;
  index_t rows, row_bytes;
  index_t matrices = 1, to_next = 0, from_next = 0;  ///< more of such rows, so many bytes apart
};
/// Copies rows. Cost: no call per row, so it pays off for short rows.
void copy_rows(row_copies const& all);
/// Fills row r with copies of the element of 1, 2, 4, 8 or 16 bytes at from + r * from_pitch.
void repeat_rows(row_copies const& all, unsigned bytes);

}}}  // namespace placement::v0_1::detail
