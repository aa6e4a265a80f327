#pragma once
/// Memory layouts: element (i, j, ...) is at base + i * stride[0] + j * stride[1] + ...
///
/// Slicing, transposing, reversing and broadcasting change a layout only, never an element.

#include <placement/shape/extents.hpp>

namespace placement { inline namespace v0_1 {

/// Coordinates of one element. A scalar has one coordinate, 0, so that loops need no special case.
template <std::size_t R> struct coordinates {
  static constexpr std::size_t slots = R == 0 ? 1 : R;
  index_t at[slots]{};
};

/// An affine map from coordinates to positions, in elements.
template <std::size_t R> struct layout {
  static constexpr std::size_t rank = R;
  static constexpr std::size_t slots = R == 0 ? 1 : R;
  index_t base = 0;
  index_t stride[slots]{};

  /// The position of the first element of the row that contains c.
  PLACEMENT_HD constexpr index_t row(coordinates<R> const& c) const {
    index_t p = base;
    for (std::size_t d = 0; d + 1 < slots; ++d) p += c.at[d] * stride[d];
    return p;
  }
  /// The stride along the last dimension.
  PLACEMENT_HD constexpr index_t step() const { return stride[slots - 1]; }
};

/// The layout of a dense result whose operands have its order or are broadcast. Kernels then need
/// no test for transposed operands.
template <std::size_t R> struct untransposed_layout : layout<R> {};

/// The layout of dense elements in row-major order.
template <class X> PLACEMENT_HD constexpr layout<X::rank> row_major(X const& x) {
  layout<X::rank> l;
  index_t s = 1;
  for (std::size_t d = X::rank; d-- > 0;) {
    l.stride[d] = s;
    s *= x.at(d);
  }
  return l;
}

namespace detail {

/// Consecutive positions.
struct position_range {
  index_t first = 0, count = 0;
};
/// The positions from the first to the last element of a layout with this base and these strides,
/// over shape x.
constexpr position_range positions_read(index_t base, index_t const* stride, any_shape const& x) {
  index_t first = base, last = base;
  for (std::size_t d = 0; d != x.rank; ++d) {
    if (x.extent[d] == 0) return {};
    index_t const way = (x.extent[d] - 1) * stride[d];
    (way < 0 ? first : last) += way;
  }
  return {first, last - first + 1};
}

}  // namespace detail

/// The layout `from` of shape x, broadcast to the shape `to`: repeated dimensions get stride 0.
template <class X, class To>
PLACEMENT_HD constexpr layout<To::rank> broadcast_layout(layout<X::rank> const& from, X const& x,
                                                         To const& to) {
  layout<To::rank> l;
  l.base = from.base;
  for (std::size_t d = 0; d != X::rank; ++d) {
    std::size_t const t = d + To::rank - X::rank;
    l.stride[t] = x.at(d) == 1 && to.at(t) != 1 ? 0 : from.stride[d];
  }
  return l;
}

/// The number of elements in a row.
template <class X> PLACEMENT_HD constexpr index_t row_length(X const& x) {
  if constexpr (X::rank == 0) return 1;
  else return x.at(X::rank - 1);
}

/// Moves to the next row in row-major order. False after the last.
template <class X> PLACEMENT_HD constexpr bool next_row(coordinates<X::rank>& c, X const& x) {
  if constexpr (X::rank > 1) {
    for (std::size_t d = X::rank - 1; d-- > 0;) {
      if (++c.at[d] != x.at(d)) return true;
      c.at[d] = 0;
    }
  }
  return false;
}

/// The coordinates of the element with this row-major index.
template <class X>
PLACEMENT_HD constexpr coordinates<X::rank> coordinates_of(index_t number, X const& x) {
  coordinates<X::rank> c;
  for (std::size_t d = X::rank; d-- > 0;) {
    c.at[d] = number % x.at(d);
    number /= x.at(d);
  }
  return c;
}

/// Calls f(coordinates) for the start of every row. Cost: nothing per element.
template <class X, class F> constexpr void for_each_row(X const& x, F f) {
  if (x.count() == 0) return;
  coordinates<X::rank> c;
  do f(c);
  while (next_row(c, x));
}

}}  // namespace placement::v0_1
