#pragma once
/// Quantiles and the largest elements on a GPU: elements of sorted fibers.

#include <placement/gpu/map.hpp>
#include <placement/gpu/sort.hpp>
#include <placement/math/unfused.hpp>

namespace placement { inline namespace v0_1 {

/// Element (b, j) is a number between two neighbours of a sorted fiber; NaN for a fiber with NaN,
/// which is last.
template <class R, class T> struct quantiles {
  struct row_type {
    T const* p;
    index_t below, length, after;
    double part;

    PLACEMENT_HD R operator()(index_t j) const {
      T const last = p[(length - 1) * after + j];
      double const low = wide(p[below * after + j]);
      if (last != last) return static_cast<R>(wide(last));
      if (part == 0) return static_cast<R>(low);
      double const high = wide(p[(below + 1) * after + j]);
      return static_cast<R>(low == high ? low : low + math::rounded_product(high - low, part));
    }
    template <int V> PLACEMENT_HD access_of<R, V> vec(index_t j) const {
      access_of<R, V> y;
      PLACEMENT_UNROLL
      for (int v = 0; v < V; ++v) y.v[v] = (*this)(j + v);
      return y;
    }
    PLACEMENT_HD static double wide(T x) { return static_cast<double>(widened(x)); }
  };

  T const* sorted;
  index_t length, after, below;
  double part;
  index_t start[2];  ///< start of the piece

  PLACEMENT_HD row_type row(coordinates<2> const& c) const {
    return {sorted + (start[0] + c.at[0]) * length * after + start[1], below, length, after, part};
  }
};

namespace detail {
template <class R, class T> inline constexpr int operands_in_memory<quantiles<R, T>> = 9;

/// Fibers of `length` elements, `after` apart.
struct fiber_extents {
  index_t before, length, after;
  constexpr dextents<3> shape() const { return {{before, length, after}}; }
};

/// The quantile q of each fiber. Cost: a sort, and scratch memory for a copy of x.
template <class Order, class Grid, class R, class T>
void quantiles_of(Grid const& grid, R* out, T const* x, fiber_extents const& f, double q) {
  index_t const n = f.before * f.length * f.after;
  if (n == 0) return;
  auto const scratch = grid.allocate_scratch(static_cast<std::size_t>(n) * sizeof(T));
  T* const sorted = static_cast<T*>(scratch.data());
  sort_along<sorted_element<T, Order>>(grid, dense_view<T, dextents<3>>{sorted, f.shape()},
                                       dense_view<T const, dextents<3>>{x, f.shape()}, 1);
  double const at = q * static_cast<double>(f.length - 1);
  auto const below = static_cast<index_t>(at);
  double const part = at - static_cast<double>(below);
  map_numbered(grid, out, {f.before, f.after}, false, [&](index_t const(&start)[2]) {
    return quantiles<R, T>{sorted, f.length, f.after, below, part, {start[0], start[1]}};
  });
}

/// Element (b, i, j) of sorted fibers, of which each has more elements than i takes.
template <class T> struct sorted_slices {
  using row_type = dense_leaf<T>;
  T const* sorted;
  index_t length, after;
  index_t start[3];

  PLACEMENT_HD row_type row(coordinates<3> const& c) const {
    return {sorted + ((start[0] + c.at[0]) * length + start[1] + c.at[1]) * after + start[2]};
  }
};

/// The first k results of a sort of each fiber. Cost: that of the sort, and scratch memory for it.
template <class Kind, class Grid, class T, class X>
void first_of_sorted(Grid const& grid, typename Kind::result* out, dense_view<T const, X> const& x,
                     std::size_t axis, index_t k) {
  using R = typename Kind::result;
  if (x.size() == 0 || k == 0) return;
  sides const side = sides_of(x.shape, axis);
  auto const scratch = grid.allocate_scratch(static_cast<std::size_t>(x.size()) * sizeof(R));
  R* const sorted = static_cast<R*>(scratch.data());
  sort_along<Kind>(grid, dense_view<R, X>{sorted, x.shape}, x, axis);
  map_numbered(grid, out, {side.before, k, side.after}, false, [&](index_t const(&start)[3]) {
    return sorted_slices<R>{sorted, x.shape.at(axis), side.after, {start[0], start[1], start[2]}};
  });
}

}  // namespace detail
}}  // namespace placement::v0_1
