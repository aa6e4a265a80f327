#pragma once
/// A partition of the rows of a shape into tiles that are independent of each other.

#include <placement/shape/layout.hpp>

namespace placement { inline namespace v0_1 {

/// A tile has at most `length` columns of at most `Together` rows.
template <std::size_t R, index_t Together> struct row_partition {
  static constexpr index_t length = 4096;  ///< columns of a tile
  static constexpr index_t rows_together = Together;

  dextents<R> shape;
  index_t columns;

  struct place {
    coordinates<R> row;  ///< the first of its rows
    index_t column = 0;  ///< the first of its columns
  };

  template <class X> constexpr explicit row_partition(X const& x) : columns(row_length(x)) {
    if constexpr (R != 0)
      for (std::size_t d = 0; d != R; ++d) shape.n[d] = x.at(d);
  }

  constexpr index_t count() const {
    index_t n = chunks_per_row();
    if constexpr (R > 1)
      for (std::size_t d = 0; d + 1 < R; ++d) n *= steps_along(d);
    return n;
  }
  constexpr place from(index_t number) const {
    place p;
    p.column = number % chunks_per_row() * length;
    number /= chunks_per_row();
    if constexpr (R > 1)
      for (std::size_t d = R - 1; d-- > 0;) {
        p.row.at[d] = number % steps_along(d) * step_of(d);
        number /= steps_along(d);
      }
    return p;
  }
  /// The row-major number of the first element of a tile. For tiles of one row.
  constexpr index_t number_of(place const& p) const requires(Together == 1)
  {
    index_t row = 0;
    if constexpr (R > 1)
      for (std::size_t d = 0; d + 1 < R; ++d) row = row * shape.at(d) + p.row.at[d];
    return row * columns + p.column;
  }
  constexpr void next(place& p) const {
    p.column += length;
    if (p.column < columns) return;
    p.column = 0;
    if constexpr (R > 1)
      for (std::size_t d = R - 1; d-- > 0;) {
        p.row.at[d] += step_of(d);
        if (p.row.at[d] < shape.at(d)) return;
        p.row.at[d] = 0;
      }
  }
  constexpr index_t rows_at(place const& p) const {
    if constexpr (R < 2) return 1;
    else {
      index_t const left = shape.at(R - 2) - p.row.at[R - 2];
      return left < Together ? left : Together;
    }
  }

 private:
  static constexpr index_t step_of(std::size_t d) { return d + 2 == R ? Together : 1; }
  constexpr index_t steps_along(std::size_t d) const {
    return (shape.at(d) + step_of(d) - 1) / step_of(d);
  }
  constexpr index_t chunks_per_row() const { return (columns + length - 1) / length; }
};

}}  // namespace placement::v0_1
