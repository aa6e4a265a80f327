#pragma once
/// Reads and writes at indices on a GPU. Writes sort the indices, stably: one thread then joins the
/// values of equal indices in their order, without atomics, so that a result is equal in every run.

#include <placement/gpu/map.hpp>
#include <placement/gpu/sort.hpp>
#include <placement/kernels/join.hpp>
#include <placement/kernels/report.hpp>
#include <placement/shape/fiber.hpp>
#include <placement/shape/strided_view.hpp>

#include <string_view>

namespace placement { inline namespace v0_1 {

namespace detail {

/// Indices of an axis, and what to report for one outside.
template <class Index> struct indices_on_gpu {
  Index const* p;
  index_t extent;
  bool from_end;   ///< whether negative indices count from the end
  char const* op;  ///< its name, which only the host reads
  kernel_report* report;

  /// The position of the i-th index; -1 for one outside, which is reported.
  PLACEMENT_HD index_t position(index_t i) const {
    auto const index = static_cast<index_t>(p[i]);
    if (index >= 0 && index < extent) return index;
    if (std::is_signed_v<Index> && from_end && index < 0 && index >= -extent) return index + extent;
    report->set(index, extent, op, from_end);
    return -1;
  }
};

}  // namespace detail

/// Element (b, i, j) is x[b, indices[b, i, j], j]; 0 for an index outside.
template <class T, class Index> struct taken_along {
  struct row_type {
    taken_along const& all;
    index_t first, from;  ///< of the indices; of x
    PLACEMENT_HD T operator()(index_t j) const {
      index_t const at = all.indices.position(first + j);
      return at < 0 ? T{} : all.x[from + at * all.after + j];
    }
    template <int V> PLACEMENT_HD access_of<T, V> vec(index_t j) const {
      access_of<T, V> y;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) y.v[v] = (*this)(j + v);
      return y;
    }
  };

  T const* x;
  detail::indices_on_gpu<Index> indices;
  index_t count, after;  ///< extents of the indices
  index_t start[3];      ///< start of the piece

  PLACEMENT_HD row_type row(coordinates<3> const& c) const {
    index_t const b = start[0] + c.at[0], i = start[1] + c.at[1];
    return {*this, (b * count + i) * after + start[2], b * indices.extent * after + start[2]};
  }
};

/// Element (b, i, j) is the position of an index: in its axis, or of the element that
/// take_along_axis reads. -1 for one outside.
template <class Index, bool OfElements> struct index_positions {
  struct row_type {
    index_positions const& all;
    index_t first, from;
    PLACEMENT_HD std::int64_t operator()(index_t j) const {
      index_t const at = all.indices.position(first + j);
      return at < 0 || !OfElements ? at : from + at * all.after + j;
    }
    template <int V> PLACEMENT_HD access_of<std::int64_t, V> vec(index_t j) const {
      access_of<std::int64_t, V> y;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) y.v[v] = (*this)(j + v);
      return y;
    }
  };

  detail::indices_on_gpu<Index> indices;
  index_t count, after;
  index_t start[3];

  PLACEMENT_HD row_type row(coordinates<3> const& c) const {
    index_t const b = start[0] + c.at[0], i = start[1] + c.at[1];
    return {*this, (b * count + i) * after + start[2], b * indices.extent * after + start[2]};
  }
};

/// Joins slices of values with those of `out` at their positions. A thread takes one element of
/// the slices of one position, in their order.
template <class T, class Rule> struct join_at_positions {
  using local = detail::no_local;
  static constexpr std::size_t shared_bytes = 0;

  T* out;
  T const* values;
  std::int64_t const *positions, *order;  ///< order: of the positions, ascending
  index_t before, count, after, extent;

  constexpr index_t blocks() const {
    return (before * count * after + block_threads - 1) / block_threads;
  }
  template <class Block> PLACEMENT_DEVICE void run(Block& block) const {
    block.each_without_barrier([&](int thread, local&) {
      index_t const number = block.number() * block_threads + thread;
      if (number < before * count * after) join(number);
    });
  }

 private:
  PLACEMENT_HD void join(index_t number) const {
    index_t const slice = number / after, j = number - slice * after;
    index_t const b = slice / count, first = slice - b * count;
    std::int64_t const position = positions[order[first]];
    if (position < 0 || (first > 0 && positions[order[first - 1]] == position)) return;
    T* const to = out + (b * extent + position) * after + j;
    T sum = *to;
    PLACEMENT_ROLLED
    for (index_t i = first; i < count && positions[order[i]] == position; ++i)
      Rule::join(sum, values[(b * count + order[i]) * after + j]);
    *to = sum;
  }
};

/// Element i is the number of elements of a sorted vector before values[i]: those that are less, or
/// with OrEqual not greater. NaN is the greatest.
template <class T> struct searched {
  T const *sorted, *values;
  index_t n;
  bool or_equal;

  PLACEMENT_HD std::int64_t operator()(index_t i) const {
    T const x = values[i];
    bool const is_nan = x != x;
    index_t low = 0, high = n;
    PLACEMENT_ROLLED
    while (low < high) {
      index_t const middle = low + (high - low) / 2;
      T const s = sorted[middle];
      bool const before = is_nan ? or_equal || s == s : or_equal ? s <= x : s < x;
      if (before) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  template <int V> PLACEMENT_HD access_of<std::int64_t, V> vec(index_t i) const {
    access_of<std::int64_t, V> y;
    PLACEMENT_UNROLL
    for (int v = 0; v < V; ++v) y.v[v] = (*this)(i + v);
    return y;
  }
};

namespace detail {
template <class T, class I> inline constexpr int operands_in_memory<taken_along<T, I>> = 9;
template <class I, bool E> inline constexpr int operands_in_memory<index_positions<I, E>> = 9;
template <class T> inline constexpr int operands_in_memory<searched<T>> = 9;

template <class Grid, class Index, class I>
indices_on_gpu<Index> indices_of(Grid const& grid, dense_view<Index const, I> const& indices,
                                 index_t extent, bool from_end, std::string_view op) {
  return {indices.data, extent, from_end, op.data(), grid.report()};
}

template <class Grid, class T, class Y, class X, class Index, class I>
void take_along(Grid const& grid, dense_view<T, Y> const& out, dense_view<T const, X> const& x,
                dense_view<Index const, I> const& indices, std::size_t axis, std::string_view op) {
  sides const side = sides_of(x.shape, axis);
  index_t const count = indices.shape.at(axis);
  auto const at = indices_of(grid, indices, x.shape.at(axis), true, op);
  map_numbered(
      grid, out.data, {side.before, count, side.after}, false, [&](index_t const(&start)[3]) {
        return taken_along<T, Index>{x.data, at, count, side.after, {start[0], start[1], start[2]}};
      });
}

struct ascending_positions {
  static constexpr bool is_descending = false;
  PLACEMENT_HD static bool before(std::int64_t a, std::int64_t b) { return a < b; }
};

/// out[b, position of index i, j] joined with values[b, i, j], in the order of i. OfElements: each
/// value has an index of its own. Cost: an argsort of the indices, and scratch memory for two
/// arrays of their number.
template <class Rule, bool OfElements, class Grid, class T, class Index>
void join_at(Grid const& grid, T* out, T const* values, indices_on_gpu<Index> const& indices,
             index_t before, index_t count, index_t after) {
  index_t const keys = OfElements ? before * count * after : count;
  if (before * count * after == 0) return;
  auto const scratch =
      grid.allocate_scratch(2 * static_cast<std::size_t>(keys) * sizeof(std::int64_t));
  auto* const positions = static_cast<std::int64_t*>(scratch.data());
  auto* const order = positions + keys;
  auto const positions_from = [&](index_t const(&start)[3]) {
    return index_positions<Index, OfElements>{
        indices, count, OfElements ? after : 1, {start[0], start[1], start[2]}};
  };
  if constexpr (OfElements)
    map_numbered(grid, positions, {before, count, after}, false, positions_from);
  else map_numbered(grid, positions, {index_t{1}, count, index_t{1}}, false, positions_from);
  dextents<1> const shape{{keys}};
  sort_along<sorted_origin<std::int64_t, ascending_positions>>(
      grid, dense_view<std::int64_t, dextents<1>>{order, shape},
      dense_view<std::int64_t const, dextents<1>>{positions, shape}, 0);
  join_at_positions<T, Rule> const all{out,
                                       values,
                                       positions,
                                       order,
                                       OfElements ? 1 : before,
                                       keys,
                                       OfElements ? 1 : after,
                                       indices.extent};
  grid(all, all.blocks());
}

/// x with values joined at indices of an axis.
template <class Rule, class Grid, class T, class X, class Index, class I>
void scatter_along(Grid const& grid, T* out, dense_view<T const, X> const& x,
                   dense_view<Index const, I> const& indices, T const* values, std::size_t axis,
                   std::string_view op) {
  if (out != x.data) map_contiguous(grid, out, x.size(), dense_leaf<T>{x.data});
  sides const side = sides_of(x.shape, axis);
  join_at<Rule, false>(grid, out, values, indices_of(grid, indices, x.shape.at(axis), true, op),
                       side.before, indices.size(), side.after);
}
/// The sums of the slices, or elements, of g at their indices of an axis; 0 where there is none.
template <class Rule, bool OfElements, class Grid, class T, class Y, class Index, class I>
void sum_along(Grid const& grid, dense_view<T, Y> const& out, T const* g,
               dense_view<Index const, I> const& indices, std::size_t axis, std::string_view op) {
  map_contiguous(grid, out.data, out.size(), scalar<T>{});
  sides const side = sides_of(out.shape, axis);
  index_t count = indices.size();
  if constexpr (OfElements) count = indices.shape.at(axis);
  join_at<Rule, OfElements>(grid, out.data, g,
                            indices_of(grid, indices, out.shape.at(axis), OfElements, op),
                            side.before, count, side.after);
}

template <class Grid, class T>
void search_sorted(Grid const& grid, std::int64_t* out, T const* sorted, index_t n, T const* values,
                   index_t count, bool or_equal) {
  launch_tiles(grid, dense_result<std::int64_t>{out}, count,
               searched<T>{sorted, values, n, or_equal}, false);
}

}  // namespace detail
}}  // namespace placement::v0_1
