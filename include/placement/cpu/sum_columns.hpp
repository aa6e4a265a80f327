#pragma once
/// Sums of columns of float and double. They are compiled once, for several levels of x86-64, and
/// have the same bits on each.

#include <placement/config.hpp>
#include <placement/cpu/block_call.hpp>

#include <cstddef>
#include <cstring>

namespace placement { inline namespace v0_1 { namespace detail {

/// Rows in memory. pitch: bytes from row to row.
template <class T> struct rows_in_memory {
  T const* data;
  index_t pitch, count;
};

/// Sums of at most max_tile_columns columns, with room for those of a register.
struct sums_of_columns {
  static constexpr index_t room = max_tile_columns + 16;
  alignas(64) double at[static_cast<std::size_t>(room)];

  explicit sums_of_columns(index_t n) {
    std::memset(at, 0, static_cast<std::size_t>(n + 16) * sizeof(double));
  }
};

/// Adds the elements of n columns to their sums. Eight rows are added in the element type first.
PLACEMENT_ON_CALL void add_to_columns(sums_of_columns& to, rows_in_memory<float> const& rows,
                                      index_t n);
PLACEMENT_ON_CALL void add_to_columns(sums_of_columns& to, rows_in_memory<double> const& rows,
                                      index_t n);
/// Completes the sums of n columns of elements of this type.
PLACEMENT_ON_CALL void finish_columns(sums_of_columns& of, float, index_t n);
PLACEMENT_ON_CALL void finish_columns(sums_of_columns& of, double, index_t n);

}}}  // namespace placement::v0_1::detail
