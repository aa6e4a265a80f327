#pragma once
/// gather and one_hot on a GPU: expressions whose rows are chosen by an index.

#include <placement/gpu/map.hpp>
#include <placement/kernels/report.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

namespace placement { inline namespace v0_1 {

/// Element (b, i, j) is x[b, indices[i], j]: slices of `length` elements out of `extent`. An index
/// out of range gives a row of zeros and an error report.
template <class T, class Index> struct gathered {
  struct row_type {
    T const* p;  ///< null for a row of zeros
    PLACEMENT_HD T operator()(index_t j) const { return p != nullptr ? p[j] : T{}; }
    template <int V> PLACEMENT_HD access_of<T, V> vec(index_t j) const {
      return p != nullptr ? load_vec<V>(p + j) : repeated<V>(T{});
    }
  };

  T const* x;
  Index const* indices;
  index_t extent, length;
  kernel_report* report;
  index_t start[3];  ///< start of the piece

  PLACEMENT_HD row_type row(coordinates<3> const& c) const {
    auto const slice = static_cast<index_t>(indices[start[1] + c.at[1]]);
    if (slice < 0 || slice >= extent) {
      report->set(slice, extent);
      return {nullptr};
    }
    return {x + ((start[0] + c.at[0]) * extent + slice) * length + start[2]};
  }
};

/// Element (i, j) is `on` where j is indices[i], else `off`.
template <class T, class Index> struct one_hot_rows {
  struct row_type {
    T on, off;
    index_t hot;
    PLACEMENT_HD T operator()(index_t j) const { return j == hot ? on : off; }
    template <int> PLACEMENT_HD row_type vec(index_t j) const { return {on, off, hot - j}; }
  };

  Index const* indices;
  T on, off;
  index_t start[2];

  PLACEMENT_HD row_type row(coordinates<2> const& c) const {
    auto const hot = static_cast<index_t>(indices[start[0] + c.at[0]]);
    return {on, off, hot < 0 ? -1 : hot - start[1]};
  }
};

namespace detail {
template <class T, class Index> inline constexpr std::size_t widest<gathered<T, Index>> = sizeof(T);
template <class T, class Index> inline constexpr int operands_in_memory<gathered<T, Index>> = 1;

/// out = the slices of x at these indices of dimension `axis`. Cost: one launch per 2^31 elements.
template <class Grid, class T, class Y, class X, class Index, class I>
void gather_slices(Grid const& grid, dense_view<T, Y> const& out, dense_view<T const, X> const& x,
                   dense_view<Index const, I> const& indices, std::size_t axis) {
  constexpr int width = vector_width<T, gathered<T, Index>>;
  sides const side = sides_of(x.shape, axis);
  bool const vectorized =
      side.after % width == 0 && is_aligned<width>(out.data) && is_aligned<width>(x.data);
  auto* const report = grid.report();
  map_numbered(grid, out.data, {side.before, indices.size(), side.after}, vectorized,
               [&](index_t const(&start)[3]) {
                 return gathered<T, Index>{x.data,           indices.data,
                                           x.shape.at(axis), side.after,
                                           report,           {start[0], start[1], start[2]}};
               });
}

template <class Grid, class T, class Y, class Index, class X>
void one_hot_of(Grid const& grid, dense_view<T, Y> const& out,
                dense_view<Index const, X> const& indices, index_t depth, T on, T off) {
  constexpr int width = vector_width<T, one_hot_rows<T, Index>>;
  map_numbered(grid, out.data, {indices.size(), depth},
               depth % width == 0 && is_aligned<width>(out.data), [&](index_t const(&start)[2]) {
                 return one_hot_rows<T, Index>{indices.data, on, off, {start[0], start[1]}};
               });
}

}  // namespace detail
}}  // namespace placement::v0_1
